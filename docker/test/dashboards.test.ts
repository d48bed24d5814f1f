import { APPS, filesIn, read } from './files.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly datasource: unknown;
    readonly expr: string;
  }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { name: string; type: string; query: unknown }[] };
  readonly panels: readonly Panel[];
}

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

const overlap = ({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const dashboardOf = (app: string) =>
  JSON.parse(read(`docker/helm/three-services/files/dashboards/${app}.json`)) as Dashboard;

describe('the Grafana dashboards', () => {
  it('are one per service', () => {
    expect(filesIn('docker/helm/three-services/files/dashboards', '.json')).toEqual(
      [...APPS].sort().map((app) => `docker/helm/three-services/files/dashboards/${app}.json`),
    );
  });

  it.each(APPS)('%s has a uid, a schema version and a data source to choose', (app) => {
    const { uid, title, schemaVersion, templating } = dashboardOf(app);
    expect([uid, title]).toEqual([app, app]);
    // 39: Grafana 10 and later migrate from here.
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
    );
  });

  it.each(APPS)('%s has panels with ids, titles and places of their own', (app) => {
    const { panels } = dashboardOf(app);
    expect(panels.length).toBeGreaterThan(10);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const panel of panels) {
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
      const others = panels.filter((other) => other !== panel && overlap(panel, other));
      expect(others.map(({ title }) => `${panel.title} covers ${title}`)).toEqual([]);
    }
  });

  it.each(APPS)('%s explains every panel and asks the chosen data source', (app) => {
    for (const { type, title, description, datasource, targets = [] } of dashboardOf(app).panels) {
      if (type === 'row') continue;
      expect({ title, described: Boolean(description), datasource }).toEqual({
        title,
        described: true,
        datasource: DATASOURCE,
      });
      expect(targets.length).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const target of targets) {
        expect(target.datasource).toEqual(DATASOURCE);
        expect(target.expr).toContain(`job="${app}"`);
      }
    }
  });
});
