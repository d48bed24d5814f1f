interface Allowed {
  readonly libraries: readonly string[];
  readonly packages: readonly string[];
  readonly node: readonly string[];
}
export const layers: Readonly<
  Record<
    string,
    Allowed & {
      readonly imports: readonly string[];
      readonly globals: readonly string[];
      readonly names: Readonly<Record<string, readonly string[]>>;
    }
  >
>;
export const adapters: Readonly<Record<string, Omit<Allowed, 'libraries'> & Partial<Allowed>>>;
export const libraries: Readonly<
  Record<
    string,
    Allowed & {
      readonly parts?: Readonly<Record<string, Partial<Allowed> & { readonly imports: readonly string[] }>>;
    }
  >
>;
export const commandLine: Omit<Allowed, 'node'>;
