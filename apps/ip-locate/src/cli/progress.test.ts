import { progressLine } from './progress.ts';

it('draws a bar with amount, speed and the time that is left', () => {
  let time = 0;
  const lines: string[] = [];
  const line = progressLine(
    'city',
    (text) => void lines.push(text),
    ['MB', 1e6],
    () => time,
  );
  line.update(0, 60e6);
  time = 50;
  line.update(1e6, 60e6);
  time = 10_000;
  line.update(30e6, 60e6);
  time = 20_000;
  line.update(60e6, 60e6);
  line.end();
  expect(lines).toEqual([
    'city [>                       ]   0 % · 0.0 of 60.0 MB · 0.0 MB/s',
    'city [============>           ]  50 % · 30.0 of 60.0 MB · 3.0 MB/s · 10 s left',
    'city [========================] 100 % · 60.0 of 60.0 MB · 3.0 MB/s · 0 s left',
    '',
  ]);
});

it('counts when there is no total, and writes nothing without a terminal', () => {
  const lines: string[] = [];
  progressLine(
    'addresses',
    (text) => void lines.push(text),
    ['addresses', 1],
    () => 0,
  ).update(12_345, undefined);
  expect(lines).toEqual(['addresses 12,345 addresses · 0 addresses/s']);
  progressLine('addresses', undefined, ['addresses', 1]).update(1, undefined);
});
