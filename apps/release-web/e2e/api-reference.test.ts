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
    const branch = { tag: 'api', operationId: 'branch', parameters: { branch: '8.4' } };
    const page = await tryOnDocsPage(service.url, branch);
    expect(page.consoleProblems).toEqual([]);
    expect(page.foreignRequests).toEqual([]);
    expect(page.status).toBe('200');
    expect(JSON.parse(page.body)).toMatchObject({ item: { branch: '8.4' } });
  }, 120_000);
});

const expected = { latest: '8.4.24', support: 'needs an upgrade: false', svg: '<svg', unknown: 404 };

it('has types that openapi-typescript makes and a client can use', async () => {
  const output = await runTypescriptClient(
    service.url,
    `import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
const client = createClient<paths>({ baseUrl: process.argv[2]! });
const path = { branch: '8.4' };
const branch = await client.GET('/api/v1/branches/{branch}', { params: { path } });
const latest: string | null = branch.data!.item.latest;
const support = await client.GET('/api/v1/support', { params: { query: { version: '8.4.20' } } });
const upgrade: boolean = support.data!.item.needs_upgrade;
const timeline = await client.GET('/api/v1/timeline.svg', { parseAs: 'text' });
const svg: string = timeline.data!;
const unknown = await client.GET('/api/v1/branches/{branch}', { params: { path: { branch: '99.0' } } });
const status: number = unknown.error!.status;
console.log(JSON.stringify({ latest, support: 'needs an upgrade: ' + upgrade, svg: svg.slice(0, 4), unknown: status }));
`,
  );
  expect(JSON.parse(output)).toEqual(expected);
}, 120_000);

describeWith(['python3'], 'a client of openapi-python-client', () => {
  it('reads JSON, a picture, a feed and a problem', async () => {
    const output = await runPythonClient(
      service.url,
      `import json, sys
from api import Client
from api.api.api import branch, support, timeline
from api.api.contract import atom_feed
client = Client(base_url=sys.argv[1])
answer = branch.sync("8.4", client=client)
needed = support.sync(client=client, version="8.4.20")
svg = timeline.sync(client=client)
assert "<feed" in atom_feed.sync(client=client)
unknown = branch.sync("99.0", client=client)
print(json.dumps({
    "latest": answer.item.latest,
    "support": f"needs an upgrade: {str(needed.item.needs_upgrade).lower()}",
    "svg": svg[:4],
    "unknown": unknown.status,
}))
`,
    );
    expect(JSON.parse(output)).toEqual(expected);
  }, 300_000);
});

describeWith(['go'], 'a client of oapi-codegen', () => {
  it('reads JSON, a picture and a problem', async () => {
    const output = await runGoClient(
      service.url,
      `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"client/api"
)

func main() {
	client, err := api.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	branch, err := client.BranchWithResponse(ctx, "8.4")
	if err != nil {
		panic(err)
	}
	support, err := client.SupportWithResponse(ctx, &api.SupportParams{Version: "8.4.20"})
	if err != nil {
		panic(err)
	}
	timeline, err := client.TimelineWithResponse(ctx)
	if err != nil {
		panic(err)
	}
	unknown, err := client.BranchWithResponse(ctx, "99.0")
	if err != nil {
		panic(err)
	}
	output, _ := json.Marshal(map[string]any{
		"latest":  branch.JSON200.Item.Latest,
		"support": fmt.Sprintf("needs an upgrade: %v", support.JSON200.Item.NeedsUpgrade),
		"svg":     string(timeline.Body[:4]),
		"unknown": unknown.StatusCode(),
	})
	fmt.Println(string(output))
}
`,
    );
    expect(JSON.parse(output)).toEqual(expected);
  }, 300_000);
});
