import { type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.app.close());

describe('GET /openapi.json', () => {
  it('tells the version of the contract, and that of the software', async () => {
    const { info } = (await service.app.inject('/openapi.json')).json();
    expect(info).toMatchObject({ version: '2025.4.1', 'x-software-version': '1.2.3' });
  });

  it('describes every path that is answered', async () => {
    const { paths } = (await service.app.inject('/openapi.json')).json();
    expect(Object.keys(paths).sort()).toMatchSnapshot();
  });
});
