import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** A way a page is looked at. */
export interface Viewport {
  readonly colorScheme: 'light' | 'dark';
  /** CSS pixels */
  readonly width: number;
  readonly height: number;
}

/** The views every page is tested in: both colour schemes, and the width of a phone. */
export const VIEWPORTS: Readonly<Record<string, Viewport>> = {
  light: { colorScheme: 'light', width: 1280, height: 900 },
  dark: { colorScheme: 'dark', width: 1280, height: 900 },
  narrow: { colorScheme: 'light', width: 390, height: 844 },
};

/** A page in Chromium that records what must not happen on it. */
export interface TestPage {
  readonly page: Page;
  /** errors and warnings on the console, errors of scripts, violations of the Content-Security-Policy */
  readonly consoleProblems: readonly string[];
  /** URLs of requests to another host than the page's */
  readonly foreignRequests: readonly string[];
  /**
   * Violations of WCAG 2.2 A and AA and of best practices, as axe-core finds them; one line for each element.
   * @param within selectors of the parts that are looked at; the whole page without them
   */
  axeViolations(...within: readonly string[]): Promise<string[]>;
  /**
   * Whether the page has to be scrolled sideways: it is wider than its viewport, or than 320 pixels, the width of a small phone
   * and of a window of 1,280 pixels at 400 % (WCAG 2.2, 1.4.10).
   */
  overflowsSideways(): Promise<boolean>;
  /** What moved without being asked to (Layout Instability), since the page was opened: its score and the elements. */
  layoutShifts(): Promise<string[]>;
  /** What the Tab key reaches, in order: the tag and accessible text of each element, until focus leaves the page. */
  tabStops(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Debian's Chromium, headless. Names of hosts resolve to nothing, so that no request can leave this machine.
 * `.ci/install-tools` installs it: describe tests with `describeWith(['chromium'], …)`.
 */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
    ],
  });

/** Shifts within half a second of an input are what it asked for. */
const RECORD_LAYOUT_SHIFTS = `
  window.layoutShifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const nodes = sources.map(({ node }) => (node ? node.id || node.className || node.nodeName : 'gone'));
      if (!hadRecentInput) layoutShifts.push(value.toFixed(4) + ' ' + nodes.join(', '));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Opens a page and waits until it has loaded. @param headers sent with every request */
export const openPage = async (
  browser: Browser,
  url: string,
  { colorScheme, width, height }: Viewport,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestPage> => {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    // axe-core is injected from outside the page; what the page itself does still has to obey its policy.
    bypassCSP: false,
    extraHTTPHeaders: { ...headers },
  });
  const page = await context.newPage();
  const consoleProblems: string[] = [];
  const foreignRequests: string[] = [];
  page.on('console', (message) => {
    // Chromium reports the status of a page that is a problem.
    const isOwnStatus =
      message.location().url === page.url() && /^Failed to load resource: .* 4\d\d /.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isOwnStatus) consoleProblems.push(message.text());
  });
  page.on('pageerror', (error) => consoleProblems.push(error.message));
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== 'data:' && host !== new URL(url).host) foreignRequests.push(request.url());
  });
  await page.addInitScript(RECORD_LAYOUT_SHIFTS);
  await page.goto(url, { waitUntil: 'load' });

  return {
    page,
    consoleProblems,
    foreignRequests,
    axeViolations: async (...within) => {
      await page.evaluate(axe.source);
      const context = within.length > 0 ? JSON.stringify({ include: within }) : '';
      const { violations } = await page
        .evaluate(`axe.run(${context})`)
        .then((result) => result as axe.AxeResults);
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
      );
    },
    overflowsSideways: async () => {
      const overflows = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      if (await page.evaluate(overflows)) return true;
      await page.setViewportSize({ width: 320, height });
      const overflowsNarrow: boolean = await page.evaluate(overflows);
      await page.setViewportSize({ width, height });
      return overflowsNarrow;
    },
    layoutShifts: () => page.evaluate('layoutShifts'),
    tabStops: async () => {
      const stops: string[] = [];
      await page.evaluate('document.activeElement?.blur()');
      for (let stop = 0; stop < 500; stop++) {
        await page.keyboard.press('Tab');
        const focused: string | null = await page.evaluate(`(() => {
          const element = document.activeElement;
          if (!element || element === document.body) return null;
          const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent;
          return element.tagName.toLowerCase() + ' ' + (label ?? '').trim().replace(/\\s+/g, ' ');
        })()`);
        if (focused === null) break;
        stops.push(focused);
      }
      return stops;
    },
    close: () => context.close(),
  };
};
