import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { testService } from './service.ts';

describe('redirects of bytes that no header may hold', () => {
  it.each(['?\u00e9=\u00ff', '?a="<>', '?x=%0d%0aset-cookie:a', '?%ff', '?'])(
    '%j is no failure of ours',
    async (query) => {
      const { app, lines } = await testService();
      const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
      const socket = connect(port, '127.0.0.1');
      socket.end(
        Buffer.from(`GET /relases.atom${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'),
      );
      const answer = await text(socket);
      await app.close();
      expect(answer).toMatch(/^HTTP\/1\.1 (301|400) /);
      expect(answer).not.toMatch(/^set-cookie/im);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
