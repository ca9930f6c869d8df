// Owns the version of the package as it is told to peers. A test keeps it equal to package.json.

export const PACKAGE_VERSION = '0.2.0';
