import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { type Reloadable, UnusableFiles } from '@workspace/service-process';
import { type FileRules, type NamedText, parseRuleFiles } from '../../domain/access/rules-text.ts';
import { type Opened, option } from '../../extension-points.ts';
import { fileCheck } from '../../http/health.ts';
import { denialPage, isDenial } from './denial.ts';
import { problems } from './problems.ts';
import { authRoute, withoutVisitorsPath } from './route.ts';

const PATH = '/auth';

/** Variables that can only be meant for rules, under any name but GEO_RULES: without them, everyone would be admitted. */
export const ruleSettingViolations = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter((name) =>
      /^(?:IP_?LOCATE_|GEO(?:IP)?_?|AUTH_?|ACCESS_?)+(?:RULES?|ALLOW|DENY|BLOCK)(?:_?(?:FILES?|PATHS?|COUNTR(?:Y|IES)))?$/i.test(
        name,
      ),
    )
    .filter((name) => name !== 'GEO_RULES' && env[name]?.trim())
    .map((name) => `${name} is not a setting; a file of rules is named by GEO_RULES`);

/** @param rules undefined: only requests have rules */
export const openedAccessRules = (rules?: Reloadable<FileRules>): Opened => ({
  routes: (app, lookups) => authRoute(app, PATH, { ...lookups, rules }),
  rewriteUrl: (url) => withoutVisitorsPath(url, PATH),
  problemPage: (problem, request) => (isDenial(problem) ? denialPage(problem, request) : undefined),
  ...(rules && {
    checks: () => ({ rules: [fileCheck(rules, { componentType: 'component' })] }),
    files: { rules },
  }),
});

/** Answers proxies that ask about the caller of a request. The last good rules stay when a file becomes unusable. */
export const accessRules = option({
  name: 'access-rules',
  problems,
  settings: {
    GEO_RULES: Type.Optional(
      Type.String({
        description:
          'file of rules that admit or deny the callers of `/auth`, and perhaps, after commas, files of networks that the rules name; read again when one changes and on SIGHUP; no rules when unset',
      }),
    ),
  },
  violations: (_config, env) => ruleSettingViolations(env),
  open: async ({ GEO_RULES: paths }, { watch, flags }) => {
    if (paths === undefined) return openedAccessRules();
    const file = await watch<FileRules>({
      setting: 'GEO_RULES',
      name: 'access rules',
      paths: paths.split(',').map((path) => path.trim()),
      open: async (files) => {
        const texts = files.map(({ name, bytes }): NamedText => ({ name, text: String(bytes) }));
        const parsed = await parseRuleFiles(texts as [NamedText, ...NamedText[]], flags, nextTurn);
        if ('violation' in parsed) throw new UnusableFiles(parsed.violation);
        return parsed;
      },
    });
    return { ...openedAccessRules(file), close: () => file.close() };
  },
});
