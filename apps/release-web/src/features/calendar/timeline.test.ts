import { join } from 'node:path';
import { XMLValidator } from 'fast-xml-parser';
import { loadDataFolder } from '@workspace/release-catalogue';
import { timelineSvg } from './timeline.ts';

describe('timelineSvg', () => {
  it('is well-formed, scales, and shows branches that live or ended lately', async () => {
    const { catalogue } = await loadDataFolder(join(__dirname, '../../../test/fixtures/data'));
    const svg = timelineSvg(catalogue, new Date('2026-11-21T00:00:00Z'));
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 960 \d+"/);
    const rows = [...svg.matchAll(/<g class="\w+"><title>([^<]+)</g)].map(([, title]) => title);
    expect(rows).toEqual([
      '8.5: active support',
      '8.4: active support',
      '8.2: security fixes only',
      '8.1: no longer supported',
    ]);
  });
});
