import type { operations } from './operations.ts'

export type OperationId = keyof typeof operations

/** A tool over one or several REST operations; the argument `what` chooses among several. */
export type ToolSpec = {
  name: string
  title: string
  description: string
  /** Indexed by the value of `what`; the first is the default. */
  operations: Readonly<Record<string, OperationId>>
  examples: readonly Readonly<Record<string, unknown>>[]
}

const tokenId = '0x6982508145454ce325ddbe47a25d4ec3d2311933-eth'
const pairId = '0xa43fe16908251ee70ef74718545e4fe6c5ccec9f-eth'
const walletAddress = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'

/** Every REST operation under /v2, in the tool that reaches it. */
export const toolSpecs: readonly ToolSpec[] = [
  {
    name: 'search',
    title: 'Search tokens',
    description: 'Finds tokens by symbol, name or address. Start here to get a token_id.',
    operations: { find: 'searchTokens' },
    examples: [{ keyword: 'PEPE', chain: 'eth', limit: 5 }],
  },
  {
    name: 'token',
    title: 'Token',
    description: 'Price, market cap, volume, supply and launch of a token, with its largest pairs.',
    operations: { detail: 'tokenDetail', batch: 'tokenBatch' },
    examples: [{ token_id: tokenId }, { what: 'batch', token_ids: [tokenId] }],
  },
  {
    name: 'prices',
    title: 'Prices',
    description: 'USD prices of many tokens, now or at a past time.',
    operations: { now: 'tokenPrices', past: 'pricesAt' },
    examples: [{ token_ids: [tokenId] }, { what: 'past', token_ids: [tokenId], time: 1767225600 }],
  },
  {
    name: 'pairs',
    title: 'Pairs',
    description: 'Pools: one, all of a token, or the newest of a chain.',
    operations: { of_token: 'tokenPairs', detail: 'pairDetail', new: 'newPairs' },
    examples: [
      { token_id: tokenId },
      { what: 'detail', pair_id: pairId },
      { what: 'new', chain: 'eth' },
    ],
  },
  {
    name: 'klines',
    title: 'Candles',
    description: 'Open, high, low, close and volume over time.',
    operations: { token: 'tokenKlines', pair: 'pairKlines' },
    examples: [
      { token_id: tokenId, interval: 'k60', limit: 24 },
      { what: 'pair', pair_id: pairId, interval: 'k5' },
    ],
  },
  {
    name: 'trades',
    title: 'Trades and liquidity',
    description: 'Past swaps of a pair, or additions and removals of its liquidity.',
    operations: { swaps: 'swapTxs', liquidity: 'liquidityTxs' },
    examples: [
      { pair_id: pairId, order: 'desc' },
      { what: 'liquidity', pair_id: pairId, type: 'removeLiquidity' },
    ],
  },
  {
    name: 'risk',
    title: 'Contract risk',
    description: 'Powers of a token contract (honeypot, taxes, mint, owner), and a risk score.',
    operations: { check: 'contractRisk' },
    examples: [{ token_id: tokenId }],
  },
  {
    name: 'holders',
    title: 'Holders',
    description: 'The largest holders of a token, with their balances and their trades in it.',
    operations: { list: 'tokenHolders', top: 'topHolders' },
    examples: [{ token_id: tokenId }, { what: 'top', token_id: tokenId, limit: 20 }],
  },
  {
    name: 'lists',
    title: 'Lists',
    description: 'Ready-made lists of tokens, profitable wallets and the tokens these wallets buy.',
    operations: {
      trending: 'trending',
      main: 'mainTokens',
      platform: 'platformTokens',
      ranked: 'ranks',
      topics: 'rankTopics',
      smart_wallets: 'smartWallets',
      signals: 'signals',
    },
    examples: [
      { chain: 'eth' },
      { what: 'ranked', topic: 'hot', chain: 'eth' },
      { what: 'platform', tag: 'meme' },
      { what: 'smart_wallets', chain: 'eth', sort: 'total_profit' },
    ],
  },
  {
    name: 'screener',
    title: 'Screener',
    description: 'Tokens or pairs filtered and sorted by their figures.',
    operations: { tokens: 'screener', pairs: 'screenerPairs' },
    examples: [
      { chain: 'eth', sort: 'volume_24h', min: { liquidity: 50000, holders: 500 } },
      { what: 'pairs', chain: 'eth', sort: 'created_at', max: { age_s: 86400 } },
    ],
  },
  {
    name: 'wallet',
    title: 'Wallet',
    description: 'Profit, balance, tokens and swaps of one account.',
    operations: {
      info: 'walletInfo',
      tokens: 'walletTokens',
      trades: 'addressTxs',
      token_profit: 'addressPnl',
      transactions: 'txDetail',
    },
    examples: [
      { wallet_address: walletAddress, chain: 'eth' },
      { what: 'tokens', wallet_address: walletAddress, chain: 'eth', sort: 'balance_usd' },
    ],
  },
  {
    name: 'status',
    title: 'Service status',
    description: 'Served chains, how current each is, and the credits left of the API key.',
    operations: { chains: 'supportedChains', state: 'status', usage: 'usage' },
    examples: [{}, { what: 'usage' }],
  },
]
