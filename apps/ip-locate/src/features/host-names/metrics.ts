import { Counter, type Registry } from 'prom-client';

/** @returns a function to call with the result of each search for a host name that is not answered from memory */
export const createReverseDnsMetrics = (registry: Registry): ((result: string) => void) => {
  const searches = new Counter({
    name: 'ip_locate_reverse_dns_total',
    help: 'Searches for host names by reverse DNS: name, no name, failed, or skipped because too many were waiting',
    labelNames: ['result'],
    registers: [registry],
  });
  return (result) => searches.inc({ result });
};
