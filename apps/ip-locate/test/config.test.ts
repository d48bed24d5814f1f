import { readConfig } from '@workspace/service-kit';
import { shownSecrets } from '@workspace/testing';
import { Config, configViolations } from '../src/config.ts';
import { defaultFieldsViolations } from '../src/http/lookup/fields.ts';

describe('the environment', () => {
  it('shows no value of a text, which may hold a secret, in an error', () => {
    const violations = (config: Config) => [...configViolations(config), ...defaultFieldsViolations(config)];
    expect(shownSecrets(Config, (env) => readConfig(Config, env, violations))).toEqual([]);
  });
});
