import { type TriedRequest, tryOnDocsPage } from './docs-page.ts';
import { runGoClient, runPythonClient, runTypescriptClient } from './open-api-clients.ts';
import { lintOpenApi } from './open-api-lint.ts';
import { describeWith } from './tools.ts';

/** What generated clients do with a service: statements that use `client` and leave what they got in `result`. */
export interface ClientPrograms {
  /** a client of openapi-fetch on the types of openapi-typescript */
  readonly typescript: string;
  /** openapi-python-client; the statements import what they call from the package `api` */
  readonly python: string;
  /** oapi-codegen; `ctx` is a context, and `must(value, err)` returns the value */
  readonly go: { readonly imports?: readonly string[]; readonly statements: string };
}

export interface ApiReferenceSuite {
  /** the base URL of the running service */
  readonly url: () => string;
  /** a request to try out on the page, and what the page shows of its answer */
  readonly tried: TriedRequest & { readonly status: string; readonly shows: object };
  readonly clients: ClientPrograms;
  /** checks the result of each client */
  readonly expectResult: (result: unknown) => unknown;
}

/** Tests the description of a running service with linters, its page with a browser, and clients made from it. */
export const testApiReference = ({ url, tried, clients, expectResult }: ApiReferenceSuite): void => {
  it('passes the recommended rules of Redocly and Spectral', async () => {
    await lintOpenApi(url());
  }, 120_000);

  describeWith(['chromium'], 'the page at /docs', () => {
    it('tries a request out, and runs and fetches nothing foreign', async () => {
      const { status, shows, ...request } = tried;
      const page = await tryOnDocsPage(url(), request);
      expect([page.consoleProblems, page.foreignRequests]).toEqual([[], []]);
      expect(page.status).toBe(status);
      expect(JSON.parse(page.body)).toMatchObject(shows);
    }, 120_000);
  });

  it('has types that openapi-typescript makes and a client can use', async () => {
    await expectResult(JSON.parse(await runTypescriptClient(url(), typescriptProgram(clients.typescript))));
  }, 120_000);

  describeWith(['python3'], 'a client of openapi-python-client', () => {
    it('calls the service', async () => {
      await expectResult(JSON.parse(await runPythonClient(url(), pythonProgram(clients.python))));
    }, 300_000);
  });

  describeWith(['go'], 'a client of oapi-codegen', () => {
    it('calls the service', async () => {
      await expectResult(JSON.parse(await runGoClient(url(), goProgram(clients.go))));
    }, 300_000);
  });
};

const typescriptProgram = (statements: string): string => `import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
const client = createClient<paths>({ baseUrl: process.argv[2]! });
${statements}
console.log(JSON.stringify(result));
`;

const pythonProgram = (statements: string): string => `import json, sys
from api import Client
client = Client(base_url=sys.argv[1])
${statements}
print(json.dumps(result))
`;

const goProgram = ({ imports = [], statements }: ClientPrograms['go']): string => `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
${imports.map((name) => `	"${name}"\n`).join('')}
	"client/api"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	client := must(api.NewClientWithResponses(os.Args[1]))
	ctx := context.Background()
${statements}
	fmt.Println(string(must(json.Marshal(result))))
}
`;
