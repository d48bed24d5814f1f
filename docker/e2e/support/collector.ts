import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { freePort, runTool, userCacheFolder, workspaceRoot } from '@workspace/testing';

/** The newest one whose modules the Go module proxy has all. */
const VERSION = 'v0.162.0';
const MODULES = 'go.opentelemetry.io/collector';

/** The configuration of the OpenTelemetry Collector Builder: only the parts that the tests need. */
const MANIFEST = {
  dist: { name: 'otelcol', version: VERSION.slice(1), description: 'OpenTelemetry Collector for tests' },
  receivers: [{ gomod: `${MODULES}/receiver/otlpreceiver ${VERSION}` }],
  exporters: [{ gomod: `${MODULES}/exporter/otlphttpexporter ${VERSION}` }],
};

/**
 * The OpenTelemetry Collector, built from the Go module proxy on first use (minutes) and kept in the user's cache.
 * Needs `go`.
 * @returns the path of the program
 */
const collectorProgram = async (): Promise<string> => {
  const version = createHash('sha256').update(JSON.stringify(MANIFEST)).digest('hex').slice(0, 8);
  const caches = userCacheFolder();
  const folder = join(caches, `otelcol-${VERSION}-${version}`);
  const program = join(folder, 'otelcol');
  if (existsSync(program)) return program;
  await mkdir(caches, { recursive: true });
  // Moved into place when it is complete: an interrupted build leaves nothing that looks finished.
  const building = await mkdtemp(join(caches, 'building-'));
  const manifest = join(building, 'builder.json');
  const dist = { ...MANIFEST.dist, output_path: join(building, 'otelcol') };
  await writeFile(manifest, JSON.stringify({ ...MANIFEST, dist }));
  await runTool('go', ['run', `${MODULES}/cmd/builder@${VERSION}`, '--config', manifest]);
  await mkdir(folder, { recursive: true });
  await rename(join(building, 'otelcol', 'otelcol'), program);
  await rm(building, { recursive: true });
  return program;
};

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span as a collector passed it on. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** empty for a root */
  readonly parentSpanId: string;
  readonly name: string;
  /** OTLP's numbers: 2 server, 3 client, 4 producer */
  readonly kind: number;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** One data point of a metric as a collector passed it on. */
export interface CollectedPoint {
  readonly name: string;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** of a sum or a gauge; for a histogram its count */
  readonly value: number;
}

/** A running collector, and what it has passed on. */
export interface Collector {
  /** for OTEL_EXPORTER_OTLP_ENDPOINT */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly points: readonly CollectedPoint[];
  /** Resolves with all spans of a trace as soon as those of these kinds are among them, each as often as it is named. */
  trace(traceId: string, kinds: readonly number[]): Promise<CollectedSpan[]>;
  /** Resolves with a data point that fits, arrived already or to come. */
  point(fits: (point: CollectedPoint) => boolean): Promise<CollectedPoint>;
  stop(): Promise<void>;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- OTLP's JSON, read as far as the tests need it */
const attributesOf = (list: any[] = []): Attributes =>
  Object.fromEntries(
    list.map(({ key, value }) => {
      const [type, content] = Object.entries<any>(value)[0] ?? [];
      return [key, type === 'intValue' ? Number(content) : content];
    }),
  );

const spansOf = (body: any): CollectedSpan[] =>
  (body.resourceSpans ?? []).flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );

const pointsOf = (body: any): CollectedPoint[] =>
  (body.resourceMetrics ?? []).flatMap(({ resource, scopeMetrics }: any) =>
    scopeMetrics.flatMap(({ metrics }: any) =>
      metrics.flatMap(({ name, sum, gauge, histogram }: any) =>
        ((sum ?? gauge ?? histogram)?.dataPoints ?? []).map((point: any) => ({
          name,
          attributes: attributesOf(point.attributes),
          resource: attributesOf(resource.attributes),
          value: Number(point.asDouble ?? point.asInt ?? point.count),
        })),
      ),
    ),
  );
/* eslint-enable @typescript-eslint/no-explicit-any */

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Starts the collector of compose.tracing.yaml on a free port; it passes on what it is sent, and this process remembers it. */
export const startCollector = async (): Promise<Collector> => {
  const program = await collectorProgram();
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  const watchers = new Set<() => void>();
  const sink = createServer((request, response) => {
    void json(request).then((body) => {
      spans.push(...spansOf(body));
      points.push(...pointsOf(body));
      response.setHeader('content-type', 'application/json').end('{}');
      for (const watcher of watchers) watcher();
    });
  }).listen(0, '127.0.0.1');
  await once(sink, 'listening');

  const port = await freePort();
  const configuration = join(workspaceRoot, 'docker/collector.yaml');
  const settings = [
    `receivers.otlp.protocols.http.endpoint=127.0.0.1:${port}`,
    'exporters.otlp_http.encoding=json',
    'exporters.otlp_http.compression=none',
  ];
  const args = ['--config', configuration, ...settings.map((setting) => `--set=${setting}`)];
  const backend = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  const child = spawn(program, args, {
    env: { ...process.env, OTLP_ENDPOINT: backend },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      output += `${line}\n`;
      if (line.includes('Everything is ready')) resolve();
    });
    // Not `exit`, after which output may still arrive.
    child.once('close', () => reject(new Error(`the collector ended: ${output}`)));
  });

  const arrived = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const watcher = (): void => {
        const found = find();
        if (found === undefined) return;
        watchers.delete(watcher);
        resolve(found);
      };
      watchers.add(watcher);
      watcher();
    });

  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    points,
    trace: (traceId, kinds) =>
      arrived(() => {
        const found = spans.filter((span) => span.traceId === traceId);
        const countOf = (wanted: number, all: readonly number[]): number =>
          all.filter((kind) => kind === wanted).length;
        const foundKinds = found.map(({ kind }) => kind);
        return kinds.every((kind) => countOf(kind, foundKinds) >= countOf(kind, kinds)) ? found : undefined;
      }),
    point: (fits) => arrived(() => points.findLast(fits)),
    stop: async () => {
      child.kill('SIGTERM');
      await ended(child);
      sink.close();
      sink.closeAllConnections();
    },
  };
};
