import type { Option } from '../../extension-points.ts';
import { securityProblems as problems } from './problems.ts';
import { apiSecurity, apiVulnerability } from './security.ts';
import { vulnerabilities } from './vulnerability.ts';

/** Vulnerabilities and the releases that fix them, in the service's own format and in that of OSV. */
export const security: Option = {
  name: 'security',
  problems,
  links: { vulnerability: (cve) => `/api/v1/security/${cve}` },
  routes: (app, answers) => {
    apiSecurity(app, '/api/v1/security', answers);
    apiVulnerability(app, '/api/v1/security/:cve', answers);
  },
  exportedPaths: (catalogue) =>
    vulnerabilities(catalogue).flatMap(({ cve }) => [`/api/v1/security/${cve}`, `/api/v1/security/${cve}/`]),
};
