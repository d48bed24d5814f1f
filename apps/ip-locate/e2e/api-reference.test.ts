import {
  describeWith,
  lintOpenApi,
  runGoClient,
  runPythonClient,
  runTypescriptClient,
  tryOnDocsPage,
} from '@workspace/service-kit/testing';
import { type RunningService, startService } from './service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it('passes the recommended rules of Redocly and Spectral', async () => {
  await lintOpenApi(service.url);
}, 120_000);

describeWith(['chromium'], 'the page at /docs', () => {
  it('tries a request out, and runs and fetches nothing foreign', async () => {
    const locate = { tag: 'locations', operationId: 'locate', parameters: { ip: '8.8.8.8' } };
    const page = await tryOnDocsPage(service.url, locate);
    expect(page.consoleProblems).toEqual([]);
    expect(page.foreignRequests).toEqual([]);
    expect(page.status).toBe('200');
    expect(JSON.parse(page.body)).toMatchObject({ ip: '8.8.8.8', country: 'US' });
  }, 120_000);
});

const expected = { country: 'US', csv: 'country', batch: 2, invalid: 'Invalid IP Address' };

it('has types that openapi-typescript makes and a client can use', async () => {
  const output = await runTypescriptClient(
    service.url,
    `import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
const client = createClient<paths>({ baseUrl: process.argv[2]! });
const path = { ip: '8.8.8.8' };
const found = await client.GET('/{ip}/json', { params: { path } });
const country: string | null | undefined = found.data!.country;
const table = await client.GET('/{ip}/csv', { params: { path, query: { fields: 'country' } }, parseAs: 'text' });
const csv: string = table.data!;
const batch = await client.POST('/batch', { body: ['8.8.8.8', '1.1.1.1'] });
const invalid = await client.GET('/{ip}/json', { params: { path: { ip: '300.1.1.1' } } });
const reason: string = invalid.error!.reason;
console.log(JSON.stringify({ country, csv: csv.split('\\r\\n')[0], batch: batch.data!.length, invalid: reason }));
`,
  );
  expect(JSON.parse(output)).toEqual(expected);
}, 120_000);

describeWith(['python3'], 'a client of openapi-python-client', () => {
  it('reads JSON, CSV, a batch and a problem', async () => {
    const output = await runPythonClient(
      service.url,
      `import json, sys
from api import Client
from api.api.locations import locate, locate_all, locate_csv
client = Client(base_url=sys.argv[1])
csv = locate_csv.sync("8.8.8.8", client=client, fields="country")
print(json.dumps({
    "country": locate.sync("8.8.8.8", client=client).country,
    "csv": csv.split("\\r\\n")[0],
    "batch": len(locate_all.sync(client=client, body=["8.8.8.8", "1.1.1.1"])),
    "invalid": locate.sync("300.1.1.1", client=client).reason,
}))
`,
    );
    expect(JSON.parse(output)).toEqual(expected);
  }, 300_000);
});

describeWith(['go'], 'a client of oapi-codegen', () => {
  it('reads JSON, CSV, a batch and a problem', async () => {
    const output = await runGoClient(
      service.url,
      `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"client/api"
)

func main() {
	client, err := api.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	found, err := client.LocateWithResponse(ctx, "8.8.8.8", nil)
	if err != nil {
		panic(err)
	}
	fields := "country"
	table, err := client.LocateCsvWithResponse(ctx, "8.8.8.8", &api.LocateCsvParams{Fields: &fields})
	if err != nil {
		panic(err)
	}
	batch, err := client.LocateAllWithResponse(ctx, nil, api.LocateAllJSONRequestBody{"8.8.8.8", "1.1.1.1"})
	if err != nil {
		panic(err)
	}
	invalid, err := client.LocateWithResponse(ctx, "300.1.1.1", nil)
	if err != nil {
		panic(err)
	}
	output, _ := json.Marshal(map[string]any{
		"country": found.JSON200.Country,
		"csv":     strings.Split(string(table.Body), "\\r\\n")[0],
		"batch":   len(*batch.JSON200),
		"invalid": invalid.JSON400.Reason,
	})
	fmt.Println(string(output))
}
`,
    );
    expect(JSON.parse(output)).toEqual(expected);
  }, 300_000);
});
