import { networkOf } from '@workspace/ip-addresses';
import { parseNetworkList } from './network-list.ts';

const read = (text: string) => {
  const parsed = parseNetworkList(text);
  if ('violation' in parsed) return parsed.violation;
  return parsed.networks.map((network) => networkOf(network, network.length));
};
const BOTH = ['192.0.2.0/24', '2001:db8::/32'];

describe('a published list', () => {
  it.each([
    [
      'of Amazon Web Services',
      `{"syncToken":"1","createDate":"2026-11-01-00-00-00",
        "prefixes":[{"ip_prefix":"192.0.2.0/24","region":"eu-west-1","service":"EC2","network_border_group":"eu-west-1"}],
        "ipv6_prefixes":[{"ipv6_prefix":"2001:db8::/32","region":"eu-west-1","service":"EC2","network_border_group":"x"}]}`,
      BOTH,
    ],
    [
      'of Google, its crawler and Bing’s',
      `{"syncToken":"1","creationTime":"2026-11-01T00:00:00.000000","prefixes":[
        {"ipv4Prefix":"192.0.2.0/24","service":"Google Cloud","scope":"africa-south1"},{"ipv6Prefix":"2001:db8::/32"}]}`,
      BOTH,
    ],
    [
      'of Azure',
      `{"changeNumber":1,"cloud":"Public","values":[{"name":"ActionGroup","id":"ActionGroup","properties":{"changeNumber":1,
        "region":"","platform":"Azure","addressPrefixes":["192.0.2.0/24","2001:db8::/32"],"networkFeatures":["API"]}}]}`,
      BOTH,
    ],
    [
      'of Oracle',
      `{"last_updated_timestamp":"2026-11-01T00:00:00.000000","regions":[{"region":"us-phoenix-1",
        "cidrs":[{"cidr":"192.0.2.0/24","tags":["OCI"]},{"cidr":"198.51.100.0/25","tags":["OSN"]}]}]}`,
      ['192.0.2.0/24', '198.51.100.0/25'],
    ],
    [
      'of Cloudflare’s API',
      `{"result":{"ipv4_cidrs":["192.0.2.0/24"],"ipv6_cidrs":["2001:db8::/32"],"etag":"x"},"success":true}`,
      BOTH,
    ],
    ['of Fastly', `{"addresses":["192.0.2.0/24"],"ipv6_addresses":["2001:db8::/32"]}`, BOTH],
    [
      'of DigitalOcean',
      `192.0.2.0/24,NL,NL-NH,Amsterdam,1105 AT\n2001:db8::/32,"US",US-CA,"San ""F"", CA",94124\n`,
      BOTH,
    ],
    [
      'of RFC 8805, with comments',
      `# Self-published geofeed\r\n192.0.2.0/24,US,US-NJ,,\r\n\r\n2001:db8::/32,US,,,\r\n`,
      BOTH,
    ],
    ['of Tor, an address on each line', `192.0.2.7\n198.51.100.9\n`, ['192.0.2.7/32', '198.51.100.9/32']],
    ['with a bracket in a comment', '# list [1]\n192.0.2.0/24 ,NL\n2001:db8::/32', BOTH],
    ['of JSON with white space and null', ` \n{"a":null,"cidr":["192.0.2.0/24","2001:db8::/32"]}`, BOTH],
    ['of Cloudflare, with no line end after the last', `\ufeff192.0.2.0/24\n2001:db8::/32`, BOTH],
  ])('%s', (_, text, expected) => {
    expect(new Set(read(text))).toEqual(new Set(expected));
  });

  it.each([
    ['nothing', '', 'the list has no networks'],
    ['comments only', '# none\n', 'the list has no networks'],
    ['JSON without networks', '{"message":"Not Found"}', 'the list has no networks'],
    [
      'half of JSON',
      '{"prefixes":[{"ip_prefix":"192.0.2.0/24"},{"ip_p',
      'the list is not JSON, or only part of it',
    ],
    ['a page', '<!doctype html>\n<p>Not found', 'line 1: "<!doctype html>" is not a network'],
    ['a long line', 'x'.repeat(100), `line 1: "${'x'.repeat(63)} is not`],
    ['a wrong line', '192.0.2.0/24\n192.0.2.300\n', 'line 2: "192.0.2.300" is not a network'],
    ['a line cut within the prefix', '192.0.2.0/24\n52.94.0.0/2', 'line 2: "52.94.0.0/2" is larger than'],
    [
      'the whole Internet',
      '{"prefixes":[{"ip_prefix":"0.0.0.0/0"}]}',
      'ip_prefix: "0.0.0.0/0" is not a network',
    ],
    ['half of IPv6', '8000::/1', 'line 1: "8000::/1" is larger than'],
    ['a number for a network', '{"cidr":[7]}', 'cidr: 7 is not a network'],
    [
      'a member for a network',
      '{"cidr":{"a":"192.0.2.0/24"}}',
      'cidr: {"a":"192.0.2.0/24"} is not a network',
    ],
    ['nothing for a network', '{"cidr":null}', 'cidr: null is not a network'],
  ])('with %s is rejected as a whole, and the reason says where', (_, text, reason) => {
    expect(read(text)).toContain(reason);
  });

  it('takes the largest networks that providers have', () => {
    expect(read('11.0.0.0/8\n2a00::/16')).toEqual(['11.0.0.0/8', '2a00::/16']);
  });

  it('has 300,000 networks at most, and any depth of JSON', () => {
    expect(read('192.0.2.0/24\n'.repeat(300_000))).toHaveLength(300_000);
    expect(read('192.0.2.0/24\n'.repeat(300_001))).toBe('the list has more than 300,000 networks');
    expect(read(`${'[{"a":'.repeat(50_000)}{"cidr":"192.0.2.0/24"}${'}]'.repeat(50_000)}`)).toEqual([
      '192.0.2.0/24',
    ]);
  });
});
