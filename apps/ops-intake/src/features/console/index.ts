import { Type } from '@sinclair/typebox';
import { onlyWith } from '@workspace/schemas';
import { httpUrl } from '@workspace/service-process';
import { option } from '../../extension-points.ts';
import { Checks } from './checks.ts';
import { consolePage } from './console-page.ts';
import { consoleEventsRoute, consolePageRoute, findSubmissionRoute } from './console-routes.ts';
import { consoleState } from './console-state.ts';
import { EventStream } from './event-stream.ts';
import { RecentAnswers, clientAnswers } from './recent-answers.ts';
import { RecentProblems } from './recent-problems.ts';
import { startPageRoute } from './start-page.ts';

/** How often an open console is updated. */
const INTERVAL_MS = 1_000;

/** A page for operators, with what the service does now; while it is off, a page about how to begin. */
export const operatorConsole = option({
  name: 'console',
  settings: {
    CONSOLE: Type.Boolean({
      default: false,
      description: 'serve a console for operators at `/`, without a login; not for the public',
    }),
    ...onlyWith('CONSOLE', {
      CONSOLE_MESSAGES_URL: Type.Optional(
        httpUrl('address of a message browser, such as Kafka UI, that the console links to'),
      ),
      CONSOLE_RUNBOOKS_URL: Type.Optional(
        httpUrl('address of the folder `docker/runbooks`, that checks which fail link to'),
      ),
    }),
  },
  open: ({ CONSOLE, ...config }, { clock }) => {
    if (!CONSOLE)
      return {
        links: { '': 'Start page' },
        routes: (app, core) => void app.get('/', startPageRoute(core)),
      };
    const problems = new RecentProblems(clock);
    return {
      links: { '': 'Console' },
      onProblem: (problem, request) => problems.record(problem, request),
      routes: (
        app,
        { metrics, schemas, keysIn, isAuthenticated, version, health, log, store, submitting },
      ) => {
        const recentAnswers = new RecentAnswers(() => clientAnswers(metrics), clock);
        const checks = new Checks(clock);
        const seen = { status: health().status, since: undefined as Date | undefined };
        const observed = () => {
          const now = health();
          if (now.status !== seen.status) Object.assign(seen, { status: now.status, since: clock() });
          return { health: now, checks: checks.observe(now) };
        };
        // Also while no one looks.
        const observing = setInterval(observed, INTERVAL_MS).unref();
        const state = async () =>
          consoleState({
            ...observed(),
            since: seen.since,
            log: log.status(),
            store: store.status(),
            now: clock(),
            recent: await recentAnswers.state(),
            problems: problems.latest(),
            metrics,
          });
        const events = new EventStream(state, INTERVAL_MS);
        const facts = {
          version,
          brokers: config.KAFKA_BOOTSTRAP_SERVERS,
          topic: config.KAFKA_TOPIC,
          keysIn,
          withTokens: isAuthenticated,
          messagesUrl: config.CONSOLE_MESSAGES_URL,
          runbooksUrl: config.CONSOLE_RUNBOOKS_URL,
          schemas,
        };
        app.get(
          '/',
          consolePageRoute(async () => consolePage(facts, (await recentAnswers.state()).history)),
        );
        app.get('/console/submission', findSubmissionRoute(submitting.admission));
        app.get('/console/events', consoleEventsRoute(events));
        app.addHook('preClose', async () => {
          clearInterval(observing);
          events.close();
          recentAnswers.close();
        });
      },
    };
  },
});
