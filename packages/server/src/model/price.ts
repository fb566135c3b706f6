/** Price of one whole token, in USD and in the native coin; 0 if unknown. */
export type UsdNativePrice = { usd: number; native: number }
