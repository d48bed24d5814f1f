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
/** What folders of a layer may use beside what the layer may. */
type Folders = Readonly<Record<string, Omit<Allowed, 'libraries'> & Partial<Allowed>>>;
export const adapters: Folders;
export const options: Folders;
export const files: readonly string[];
export const libraries: Readonly<
  Record<
    string,
    Allowed & {
      readonly parts?: Readonly<Record<string, Partial<Allowed> & { readonly imports: readonly string[] }>>;
    }
  >
>;
export const commandLine: Omit<Allowed, 'node'>;
