/** Each collects some of the default metrics. prom-client has no option to leave one out. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { DefaultMetricsCollectorConfiguration, Registry, RegistryContentType } from 'prom-client';

  const collect: (
    registry: Registry,
    config?: DefaultMetricsCollectorConfiguration<RegistryContentType>,
  ) => void;
  export default collect;
}
