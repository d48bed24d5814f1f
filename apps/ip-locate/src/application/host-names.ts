import type { Address } from '@workspace/ip-addresses';

/** The name of a host; null when its address has none; undefined when that could not be determined. */
export type HostName = string | null | undefined;

/** Port: address → name, by reverse DNS. */
export interface HostNames {
  /** Takes no longer than it is allowed to, and never rejects; a name that is known already comes at once. */
  find(address: Address): HostName | Promise<HostName>;
}
