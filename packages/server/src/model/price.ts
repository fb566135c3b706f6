/** What one whole token is worth, in USD and in the native coin; 0 when not known. */
export type Price = { usd: number; native: number }
