import { readConfig } from '@workspace/service-process';
import { shownSecrets } from '@workspace/testing';
import { Config, configViolations } from '../src/config.ts';

describe('the environment', () => {
  it('shows no value of a text, which may hold a secret, in an error', () => {
    expect(shownSecrets(Config, (env) => readConfig(Config, env, configViolations))).toEqual([]);
  });
});
