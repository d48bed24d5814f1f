import { edited } from '../testing/edited-catalogue.ts';
import { historyTable } from './catalogue.ts';

describe('historyTable', () => {
  const top = (version: string, other: string) => {
    const catalogue = edited((data) => {
      data.release(version).rank = 200;
      data.release(other).rank = 200;
    });
    return historyTable(catalogue, 8)
      .slice(0, 2)
      .map(({ release }) => release.version);
  };

  it('orders releases of the same rank by their dates', () => {
    expect(top('8.2.31', '8.4.23')).toEqual(['8.4.23', '8.2.31']);
    expect(top('8.2.32', '8.4.22')).toEqual(['8.2.32', '8.4.22']);
  });

  it('and releases of the same day by their versions', () => {
    expect(top('8.4.23', '8.5.8')).toEqual(['8.5.8', '8.4.23']);
    expect(top('8.5.8', '8.4.23')).toEqual(['8.5.8', '8.4.23']);
  });
});
