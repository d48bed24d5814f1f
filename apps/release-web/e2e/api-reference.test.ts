import { testApiReference } from '@workspace/testing';
import { type RunningService, startService } from './service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

testApiReference({
  url: () => service.url,
  tried: {
    tag: 'api',
    operationId: 'branch',
    parameters: { branch: '8.4' },
    status: '200',
    shows: { item: { branch: '8.4' } },
  },
  expectResult: (result) =>
    expect(result).toEqual({ latest: '8.4.24', needsUpgrade: false, svg: '<svg', unknown: 404 }),
  clients: {
    typescript: `
const path = { branch: '8.4' };
const branch = await client.GET('/api/v1/branches/{branch}', { params: { path } });
const latest: string | null = branch.data!.item.latest;
const support = await client.GET('/api/v1/support', { params: { query: { version: '8.4.20' } } });
const needsUpgrade: boolean = support.data!.item.needs_upgrade;
const timeline = await client.GET('/api/v1/timeline.svg', { parseAs: 'text' });
const svg: string = timeline.data!;
const unknown = await client.GET('/api/v1/branches/{branch}', { params: { path: { branch: '99.0' } } });
const status: number = unknown.error!.status;
const result = { latest, needsUpgrade, svg: svg.slice(0, 4), unknown: status };`,
    python: `
from api.api.api import branch, support, timeline
from api.api.contract import atom_feed
assert "<feed" in atom_feed.sync(client=client)
result = {
    "latest": branch.sync("8.4", client=client).item.latest,
    "needsUpgrade": support.sync(client=client, version="8.4.20").item.needs_upgrade,
    "svg": timeline.sync(client=client)[:4],
    "unknown": branch.sync("99.0", client=client).status,
}`,
    go: {
      statements: `
	support := must(client.SupportWithResponse(ctx, &api.SupportParams{Version: "8.4.20"}))
	result := map[string]any{
		"latest":       must(client.BranchWithResponse(ctx, "8.4")).JSON200.Item.Latest,
		"needsUpgrade": support.JSON200.Item.NeedsUpgrade,
		"svg":          string(must(client.TimelineWithResponse(ctx)).Body[:4]),
		"unknown":      must(client.BranchWithResponse(ctx, "99.0")).StatusCode(),
	}`,
    },
  },
});
