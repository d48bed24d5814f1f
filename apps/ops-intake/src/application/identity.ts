/** Who sends a request, and how that is known. */
export interface Identity {
  readonly principal: string;
  /** `authtype` of the CloudEvents extension auth context */
  readonly type: 'api_key' | 'service_account' | 'unknown';
}
