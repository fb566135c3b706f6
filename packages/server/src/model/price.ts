/** Price of one whole token, in USD and in the native coin; 0 if unknown. */
export type Price = { usd: number; native: number }
