import type { Option } from '../../extension-points.ts';
import { apiSecurity, apiVulnerability, securityProblems as problems } from './security.ts';
import { vulnerabilities } from './vulnerability.ts';

/** Vulnerabilities and the releases that fix them, in the service's own format and in that of OSV. */
export const security: Option = {
  name: 'security',
  problems,
  links: { vulnerability: (cve) => `/api/v1/security/${cve}` },
  routes: (answers) => {
    apiSecurity(answers, '/api/v1/security');
    apiVulnerability(answers, '/api/v1/security/:cve');
  },
  exportedPaths: (catalogue) =>
    vulnerabilities(catalogue).flatMap(({ cve }) => [`/api/v1/security/${cve}`, `/api/v1/security/${cve}/`]),
};
