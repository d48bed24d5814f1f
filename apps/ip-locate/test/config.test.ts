import { readConfig } from '@workspace/service-process';
import { shownSecrets } from '@workspace/testing';
import { type Config, configViolations, settingsOf } from '../src/config.ts';
import { options } from '../src/features.ts';
import { defaultFieldsViolations } from '../src/http/lookup/chosen-fields.ts';

describe('the environment', () => {
  it('shows no value of a text, which may hold a secret, in an error', () => {
    const violations = (all: unknown) => {
      const config = all as Config;
      return [...configViolations(config, options), ...defaultFieldsViolations(config)];
    };
    const schema = settingsOf(options);
    expect(shownSecrets(schema, (env) => readConfig(schema, env, violations))).toEqual([]);
  });
});
