afterEach(() => jest.restoreAllMocks());

it('properties begin from the seed of the gate', async () => {
  jest.replaceProperty(process, 'env', { ...process.env, SEED: '428' });
  await jest.isolateModulesAsync(async () => {
    const { default: fc } = await import('fast-check');
    expect(fc.readConfigureGlobal()).toEqual({ seed: 428 });
  });
});
