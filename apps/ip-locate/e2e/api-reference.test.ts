import { testApiReference } from '@workspace/testing';
import { type RunningService, startService } from './service.ts';

let service: RunningService;
beforeAll(async () => {
  // With a limit, its headers and its problem are described too.
  service = await startService({ RATE_LIMIT: '1000/second' });
});
afterAll(() => service.stop());

testApiReference({
  url: () => service.url,
  tried: {
    tag: 'locations',
    operationId: 'locate',
    parameters: { ip: '8.8.8.8' },
    status: '200',
    shows: { ip: '8.8.8.8', country: 'US' },
  },
  expectResult: (result) =>
    expect(result).toEqual({ country: 'US', csv: 'country', batch: 2, invalid: 'Invalid IP Address' }),
  clients: {
    typescript: `
const path = { ip: '8.8.8.8' };
const found = await client.GET('/{ip}/json', { params: { path } });
const country: string | null | undefined = found.data!.country;
const table = await client.GET('/{ip}/csv', { params: { path, query: { fields: 'country' } }, parseAs: 'text' });
const csv: string = table.data!;
const batch = await client.POST('/batch', { body: ['8.8.8.8', '1.1.1.1'] });
const invalid = await client.GET('/{ip}/json', { params: { path: { ip: '300.1.1.1' } } });
const reason: string = invalid.error!.reason;
const result = { country, csv: csv.split('\\r\\n')[0], batch: batch.data!.length, invalid: reason };`,
    python: `
from api.api.locations import locate, locate_all, locate_csv
csv = locate_csv.sync("8.8.8.8", client=client, fields="country")
result = {
    "country": locate.sync("8.8.8.8", client=client).country,
    "csv": csv.split("\\r\\n")[0],
    "batch": len(locate_all.sync(client=client, body=["8.8.8.8", "1.1.1.1"])),
    "invalid": locate.sync("300.1.1.1", client=client).reason,
}`,
    go: {
      imports: ['strings'],
      statements: `
	fields := "country"
	table := must(client.LocateCsvWithResponse(ctx, "8.8.8.8", &api.LocateCsvParams{Fields: &fields}))
	batch := must(client.LocateAllWithResponse(ctx, nil, api.LocateAllJSONRequestBody{"8.8.8.8", "1.1.1.1"}))
	result := map[string]any{
		"country": must(client.LocateWithResponse(ctx, "8.8.8.8", nil)).JSON200.Country,
		"csv":     strings.Split(string(table.Body), "\\r\\n")[0],
		"batch":   len(*batch.JSON200),
		"invalid": must(client.LocateWithResponse(ctx, "300.1.1.1", nil)).JSON400.Reason,
	}`,
    },
  },
});
