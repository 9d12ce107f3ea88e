// Where this page's own routes lie: the pit's page has a session of its own, below its own address.

const PIT_PAGE = "/pit";

/** The address of the pit's page, or of the one among its tables that this address names; "" on other pages. */
export const baseOf = (path: string): string => /^\/pit(?:\/tables\/[^/]+)?(?=\/|$)/.exec(path)?.[0] ?? "";

/** The address of the pit's page for the table that this page is about. */
export const pitPage = (): string => baseOf(location.pathname) || PIT_PAGE;

/** The address of the pit's page for another of its tables. */
export const pitPageOf = (table: string): string => `${PIT_PAGE}/tables/${encodeURIComponent(table)}`;

/** A path of the server as this page asks for it. */
export const at = (path: string): string => baseOf(location.pathname) + path;
