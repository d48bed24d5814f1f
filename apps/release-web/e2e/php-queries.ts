import fc from 'fast-check';

/** Ways to write a number that PHP and JavaScript read differently. */
const ODD_NUMBERS =
  `8. 8.. .8 8RC1 4RC1 +8 %208 8%20 %098 %0b8 %C2%A08 8e0 .8e1 80e-1 1e3 1E1 1e 1e+ 08 0x8 8_0 x -1 -0 -1.9 1.9
  99999999999999999999 1e30 1e400 -1e400 INF NaN %ff %00`.split(/\s+/);
const ODD_NAMES =
  `json ?json json[] json[a] %20json json%00x json[ json] js.on JSON [json] serialize serialize[] version version[]
  version[a] version. version%00 max max[] max[3] max%20 max[ +max`.split(/\s+/);

const part = fc.oneof(
  fc.constantFrom('', ...ODD_NUMBERS),
  fc.integer({ min: -3, max: 40 }).map(String),
  fc.constantFrom('3', '4', '5', '7', '8'),
);
const version = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
  fc.constantFrom('8', '8.5', '8.5.8', '8.4', '8.4.24', '7.4.33', '3', '3.0', '3.0.x', '3.0.x (latest)'),
);
const parameter = fc.oneof(
  fc.tuple(fc.constantFrom('version', 'max'), version),
  fc.tuple(fc.constantFrom(...ODD_NAMES), fc.option(version)),
);
/** Query strings of the release index, in every way to write a parameter. */
export const indexQuery = fc
  .tuple(
    fc.constantFrom('json', 'json=1', 'json[]=1', 'serialize', ''),
    fc.array(parameter, { maxLength: 4 }),
  )
  .map(([format, parameters]) =>
    [format, ...parameters.map(([name, value]) => (value === null ? name : `${name}=${value}`))].join('&'),
  );

/** Query strings of the pre-release builds. */
export const buildsQuery = fc
  .array(
    fc.oneof(
      fc
        .tuple(
          fc.constantFrom('format', 'format[]', 'FORMAT'),
          fc.constantFrom('json', 'serialize', 'JSON', 'xml', ''),
        )
        .map((pair) => pair.join('=')),
      fc.constantFrom(
        'only=dev_versions',
        'only=dev_versions',
        'only=',
        'only[]=dev_versions',
        'only',
        'cachebuster=1',
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join('&'));
