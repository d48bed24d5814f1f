const ENTRY = /^([\w.@-]{1,64}):([\x21-\x2b\x2d-\x7e]{16,512})$/;

/**
 * Reads `principal:token,principal:token`.
 * @returns the tokens, or what is wrong, without showing a token
 */
export const parseTokens = (text: string): { tokens: Map<string, string> } | { violation: string } => {
  const tokens = new Map<string, string>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, principal, token] = ENTRY.exec(entry.trim()) ?? [];
    if (!principal || !token) {
      return {
        violation: `entry ${index + 1} must be principal:token, the token of 16 to 512 printable characters`,
      };
    }
    if (tokens.has(principal)) return { violation: `principal ${principal} is given twice` };
    tokens.set(principal, token);
  }
  if (new Set(tokens.values()).size < tokens.size) return { violation: 'two principals have the same token' };
  return { tokens };
};
