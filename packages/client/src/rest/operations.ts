import type {
  ContractRisk,
  Klines,
  LiquidityTxs,
  ListedHolder,
  PairDetail,
  PairsPage,
  PriceAt,
  PriceEntry,
  RankTopic,
  ScreenerPage,
  ScreenerPairs,
  ServedChain,
  Signal,
  SmartWallet,
  Status,
  SwapTx,
  SwapTxs,
  TokenDetail,
  TokenHolder,
  TokenRow,
  TrendingPage,
  UdfBars,
  UdfConfig,
  UdfError,
  UdfFound,
  UdfNoData,
  UdfQuotes,
  UdfSymbol,
  UsageBody,
  WalletInfo,
  WalletPnl,
  WalletToken,
  WalletTxs,
} from '@chaintape/protocol'
import type { CallOptions } from './send.ts'

/** What is not known. */
export type Empty = Readonly<Record<string, never>>

/**
 * A method for each operation under /v2 and /udf, which docs/reference/rest.md describes. Ids are
 * `<address>-<chain>`; `fields` has names of members, separated by commas, and the answer then
 * has no others. Generated from the table of operations by `npm run generate`; do not edit.
 */
export type Operations = {
  /** Prices of up to 200 tokens. POST /v2/tokens/price, 100 credit units. */
  tokenPrices(
    params: {
      /** Token-ids, 1 to 200. */
      token_ids: readonly string[]
      /** Minimum USD in all pairs of the token; 0: no threshold. */
      tvl_min?: number | undefined
      /** Minimum USD traded in 24 hours; 0: no threshold. */
      tx_24h_volume_min?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<Readonly<Record<string, PriceEntry>>>

  /** Detail of up to 50 tokens. POST /v2/tokens/search, 100 credit units. */
  tokenBatch(
    params: {
      /** Token-ids, 1 to 50. */
      token_ids: readonly string[]
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<Readonly<Record<string, TokenRow>>>

  /** Search tokens. GET /v2/tokens, 5 credit units. */
  searchTokens(
    params: {
      /** Symbol, name or address of a token, or a part of one. */
      keyword: string
      /** Only this chain. Default: all chains. */
      chain?: string | undefined
      /** Maximum number of rows. */
      limit?: number | undefined
      /** Sort key, largest first. */
      orderby?: 'tx_volume_u_24h' | 'market_cap' | 'main_pair_tvl' | 'fdv' | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly TokenRow[]>

  /** Token detail with its top 5 pairs. GET /v2/tokens/{token-id}, 5 credit units. */
  tokenDetail(
    tokenId: string,
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<TokenDetail['data']>

  /** Contract and risk of a token. GET /v2/contracts/{token-id}, 10 credit units. */
  contractRisk(
    tokenId: string,
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<ContractRisk | Empty>

  /** Top holders of a token. GET /v2/tokens/top100/{token-id}, 10 credit units. */
  topHolders(
    tokenId: string,
    params?: {
      /** Maximum number of rows. */
      limit?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly TokenHolder[]>

  /** Main tokens of a chain. GET /v2/tokens/main, 5 credit units. */
  mainTokens(
    params: {
      /** Name of a served chain. */
      chain: string
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly TokenRow[]>

  /** Trending tokens of a chain. GET /v2/tokens/trending, 5 credit units. */
  trending(
    params: {
      /** Name of a served chain. */
      chain: string
      /** Page number, from 0. */
      current_page?: number | undefined
      /** Rows per page. */
      page_size?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<TrendingPage>

  /** Tokens of launch platforms by tag. GET /v2/tokens/platform, 10 credit units. */
  platformTokens(
    params: {
      /** `<platform>_in_hot`, `<platform>_in_new`, `<platform>_in_almost`, `<platform>_out_hot` or `<platform>_out_new`, or `meme`, `hot` or `new` for all platforms. */
      tag: string
      /** Maximum number of rows. */
      limit?: number | undefined
      /** Sort key, largest first. */
      orderby?: 'tx_volume_u_24h' | 'main_pair_tvl' | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly TokenRow[]>

  /** Pair detail. GET /v2/pairs/{pair-id}, 5 credit units. */
  pairDetail(
    pairId: string,
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<PairDetail | Empty>

  /** Prices of up to 50 tokens at a past time. POST /v2/tokens/price/at, 100 credit units. */
  pricesAt(
    params: {
      /** Token-ids, 1 to 50. */
      token_ids: readonly string[]
      /** Unix seconds, not in the future. */
      time: number
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<Readonly<Record<string, PriceAt>>>

  /** Pairs of a token. GET /v2/tokens/pairs/{token-id}, 10 credit units. */
  tokenPairs(
    tokenId: string,
    params?: {
      /** Maximum number of rows. */
      limit?: number | undefined
      /** Number of rows to skip. */
      offset?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<PairsPage>

  /** New pairs of a chain. GET /v2/pairs/new, 10 credit units. */
  newPairs(
    params: {
      /** Name of a served chain. */
      chain: string
      /** Maximum number of rows. */
      limit?: number | undefined
      /** `next` of the previous page. */
      cursor?: string | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<PairsPage>

  /** Klines of a pair. GET /v2/klines/pair/{pair-id}, 10 credit units. */
  pairKlines(
    pairId: string,
    params?: {
      /** Length of a kline in minutes; `s1`: one second, `1M`: one calendar month, UTC. */
      interval?:
        | 's1'
        | 'k1'
        | '1'
        | 'k3'
        | '3'
        | 'k5'
        | '5'
        | 'k15'
        | '15'
        | 'k30'
        | '30'
        | 'k60'
        | '60'
        | 'k120'
        | '120'
        | 'k180'
        | '180'
        | 'k240'
        | '240'
        | 'k360'
        | '360'
        | 'k720'
        | '720'
        | 'k1440'
        | '1440'
        | 'k4320'
        | '4320'
        | 'k10080'
        | '10080'
        | 'k43200'
        | '43200'
        | '1M'
        | 'k525600'
        | '525600'
        | 'k2628000'
        | '2628000'
        | 1
        | 3
        | 5
        | 15
        | 30
        | 60
        | 120
        | 180
        | 240
        | 360
        | 720
        | 1440
        | 4320
        | 10080
        | 43200
        | 525600
        | 2628000
        | undefined
      /** Maximum number of points, the newest of the range. */
      limit?: number | undefined
      /** First second of the range, unix time. */
      from_time?: number | undefined
      /** Last second of the range, unix time. Default: now. */
      to_time?: number | undefined
      /** Unit of prices and volume: u USD, m native coin, r the pair's quote token if that is a stablecoin or the native coin. */
      category?: 'u' | 'r' | 'm' | undefined
      /** true: also return buckets without trades, flat at the previous close. */
      fill?: boolean | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<Klines>

  /** Klines of a token. GET /v2/klines/token/{token-id}, 10 credit units. */
  tokenKlines(
    tokenId: string,
    params?: {
      /** Length of a kline in minutes; `s1`: one second, `1M`: one calendar month, UTC. */
      interval?:
        | 's1'
        | 'k1'
        | '1'
        | 'k3'
        | '3'
        | 'k5'
        | '5'
        | 'k15'
        | '15'
        | 'k30'
        | '30'
        | 'k60'
        | '60'
        | 'k120'
        | '120'
        | 'k180'
        | '180'
        | 'k240'
        | '240'
        | 'k360'
        | '360'
        | 'k720'
        | '720'
        | 'k1440'
        | '1440'
        | 'k4320'
        | '4320'
        | 'k10080'
        | '10080'
        | 'k43200'
        | '43200'
        | '1M'
        | 'k525600'
        | '525600'
        | 'k2628000'
        | '2628000'
        | 1
        | 3
        | 5
        | 15
        | 30
        | 60
        | 120
        | 180
        | 240
        | 360
        | 720
        | 1440
        | 4320
        | 10080
        | 43200
        | 525600
        | 2628000
        | undefined
      /** Maximum number of points, the newest of the range. */
      limit?: number | undefined
      /** First second of the range, unix time. */
      from_time?: number | undefined
      /** Last second of the range, unix time. Default: now. */
      to_time?: number | undefined
      /** Unit of prices and volume: u USD, m native coin, r the pair's quote token if that is a stablecoin or the native coin. */
      category?: 'u' | 'r' | 'm' | undefined
      /** true: also return buckets without trades, flat at the previous close. */
      fill?: boolean | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<Klines>

  /** Swaps of a pair. GET /v2/txs/swap/{pair-id}, 50 credit units. */
  swapTxs(
    pairId: string,
    params?: {
      /** Maximum number of transactions. */
      limit?: number | undefined
      /** First second of the range, unix time. */
      from_time?: number | undefined
      /** Last second of the range, unix time. Default: now. */
      to_time?: number | undefined
      /** Order by time. */
      sort?: 'asc' | 'desc' | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<SwapTxs>

  /** Liquidity changes of a pair. GET /v2/txs/liq/{pair-id}, 50 credit units. */
  liquidityTxs(
    pairId: string,
    params?: {
      /** Maximum number of transactions. */
      limit?: number | undefined
      /** First second of the range, unix time. */
      from_time?: number | undefined
      /** Last second of the range, unix time. Default: now. */
      to_time?: number | undefined
      /** Order by time. */
      sort?: 'asc' | 'desc' | undefined
      /** Only changes of this type. */
      type?: 'all' | 'addLiquidity' | 'removeLiquidity' | 'createPair' | 'collectFee' | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<LiquidityTxs>

  /** Swaps of an account. GET /v2/txs/detail, 10 credit units. */
  txDetail(
    params: {
      /** Name of a served chain. */
      chain: string
      /** Account that signed the transactions. */
      account_address: string
      /** Only swaps of this transaction. */
      tx_hash?: string | undefined
      /** First second of the range, unix time. */
      start_from?: number | undefined
      /** Last second of the range, unix time. Default: now. */
      end_at?: number | undefined
      /** Maximum number of swaps. */
      limit?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly SwapTx[]>

  /** Topics for ranking tokens. GET /v2/ranks/topics, 10 credit units. */
  rankTopics(
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly RankTopic[]>

  /** Tokens of a topic, ranked. GET /v2/ranks, 10 credit units. */
  ranks(
    params: {
      /** A topic of /v2/ranks/topics. */
      topic: string
      /** Only this chain. Default: all chains. */
      chain?: string | undefined
      /** Maximum number of rows. */
      limit?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly TokenRow[]>

  /** Tokens filtered and sorted by their figures. GET /v2/screener, 20 credit units. */
  screener(
    params?: {
      /** Only this chain. Default: all chains. */
      chain?: string | undefined
      /** What the rows are ordered by; those without it are left out. */
      sort?:
        | 'created_at'
        | 'price'
        | 'liquidity'
        | 'market_cap'
        | 'fdv'
        | 'holders'
        | 'progress'
        | 'risk_score'
        | 'score'
        | 'volume_5m'
        | 'change_5m'
        | 'trades_5m'
        | 'volume_1h'
        | 'change_1h'
        | 'trades_1h'
        | 'volume_4h'
        | 'change_4h'
        | 'trades_4h'
        | 'volume_24h'
        | 'change_24h'
        | 'trades_24h'
        | 'makers_24h'
        | 'organic_24h'
        | undefined
      /** The largest or the smallest first. */
      order?: 'desc' | 'asc' | undefined
      /** Rows of a page. */
      limit?: number | undefined
      /** `next_cursor` of the page before; the other parameters must be the same. */
      cursor?: string | undefined
      /** At least so many seconds since its launch or creation. */
      min_age_s?: number | undefined
      /** At most so many seconds since its launch or creation. */
      max_age_s?: number | undefined
      /** Tokens of launch platforms in this state. */
      launch?: 'in' | 'almost' | 'out' | undefined
      /** Tokens of this launch platform. */
      platform?: string | undefined
      /** Tokens whose main pair is of this venue, as `amm` of pairs names it. */
      venue?: string | undefined
      /** 0: without those that are known to be one; 1: these alone. */
      honeypot?: '0' | '1' | undefined
      /** At least. Unix time of its launch, or of its first pair. */
      min_created_at?: number | undefined
      /** At most. Unix time of its launch, or of its first pair. */
      max_created_at?: number | undefined
      /** At least. USD. */
      min_price?: number | undefined
      /** At most. USD. */
      max_price?: number | undefined
      /** At least. USD in its main pair. */
      min_liquidity?: number | undefined
      /** At most. USD in its main pair. */
      max_liquidity?: number | undefined
      /** At least. USD. */
      min_market_cap?: number | undefined
      /** At most. USD. */
      max_market_cap?: number | undefined
      /** At least. Fully diluted value, USD. */
      min_fdv?: number | undefined
      /** At most. Fully diluted value, USD. */
      max_fdv?: number | undefined
      /** At least. Holders. */
      min_holders?: number | undefined
      /** At most. Holders. */
      max_holders?: number | undefined
      /** At least. How much of its launch curve is filled, 0 to 1. */
      min_progress?: number | undefined
      /** At most. How much of its launch curve is filled, 0 to 1. */
      max_progress?: number | undefined
      /** At least. Risk of its contract, 0 to 100; of those that were checked. */
      min_risk_score?: number | undefined
      /** At most. Risk of its contract, 0 to 100; of those that were checked. */
      max_risk_score?: number | undefined
      /** At least. Trending score: grows with organic volume, traders, price change and youth over 24h. */
      min_score?: number | undefined
      /** At most. Trending score: grows with organic volume, traders, price change and youth over 24h. */
      max_score?: number | undefined
      /** At least. USD traded in 5m. */
      min_volume_5m?: number | undefined
      /** At most. USD traded in 5m. */
      max_volume_5m?: number | undefined
      /** At least. Change of its price in 5m, percent. */
      min_change_5m?: number | undefined
      /** At most. Change of its price in 5m, percent. */
      max_change_5m?: number | undefined
      /** At least. Trades in 5m. */
      min_trades_5m?: number | undefined
      /** At most. Trades in 5m. */
      max_trades_5m?: number | undefined
      /** At least. USD traded in 1h. */
      min_volume_1h?: number | undefined
      /** At most. USD traded in 1h. */
      max_volume_1h?: number | undefined
      /** At least. Change of its price in 1h, percent. */
      min_change_1h?: number | undefined
      /** At most. Change of its price in 1h, percent. */
      max_change_1h?: number | undefined
      /** At least. Trades in 1h. */
      min_trades_1h?: number | undefined
      /** At most. Trades in 1h. */
      max_trades_1h?: number | undefined
      /** At least. USD traded in 4h. */
      min_volume_4h?: number | undefined
      /** At most. USD traded in 4h. */
      max_volume_4h?: number | undefined
      /** At least. Change of its price in 4h, percent. */
      min_change_4h?: number | undefined
      /** At most. Change of its price in 4h, percent. */
      max_change_4h?: number | undefined
      /** At least. Trades in 4h. */
      min_trades_4h?: number | undefined
      /** At most. Trades in 4h. */
      max_trades_4h?: number | undefined
      /** At least. USD traded in 24h. */
      min_volume_24h?: number | undefined
      /** At most. USD traded in 24h. */
      max_volume_24h?: number | undefined
      /** At least. Change of its price in 24h, percent. */
      min_change_24h?: number | undefined
      /** At most. Change of its price in 24h, percent. */
      max_change_24h?: number | undefined
      /** At least. Trades in 24h. */
      min_trades_24h?: number | undefined
      /** At most. Trades in 24h. */
      max_trades_24h?: number | undefined
      /** At least. Wallets that traded it in 24h. */
      min_makers_24h?: number | undefined
      /** At most. Wallets that traded it in 24h. */
      max_makers_24h?: number | undefined
      /** At least. USD traded in 24h without what a wallet traded back within a minute. */
      min_organic_24h?: number | undefined
      /** At most. USD traded in 24h without what a wallet traded back within a minute. */
      max_organic_24h?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<ScreenerPage>

  /** Pairs filtered and sorted by their figures. GET /v2/screener/pairs, 20 credit units. */
  screenerPairs(
    params?: {
      /** Only this chain. Default: all chains. */
      chain?: string | undefined
      /** What the rows are ordered by; those without it are left out. */
      sort?:
        | 'created_at'
        | 'price'
        | 'liquidity'
        | 'volume_5m'
        | 'change_5m'
        | 'trades_5m'
        | 'volume_1h'
        | 'change_1h'
        | 'trades_1h'
        | 'volume_4h'
        | 'change_4h'
        | 'trades_4h'
        | 'volume_24h'
        | 'change_24h'
        | 'trades_24h'
        | 'makers_24h'
        | 'organic_24h'
        | undefined
      /** The largest or the smallest first. */
      order?: 'desc' | 'asc' | undefined
      /** Rows of a page. */
      limit?: number | undefined
      /** `next_cursor` of the page before; the other parameters must be the same. */
      cursor?: string | undefined
      /** At least so many seconds since its launch or creation. */
      min_age_s?: number | undefined
      /** At most so many seconds since its launch or creation. */
      max_age_s?: number | undefined
      /** Pairs of this venue, as `amm` names it. */
      venue?: string | undefined
      /** 1: pairs that a known factory confirms; 0: the others. */
      trusted?: '0' | '1' | undefined
      /** At least. Unix time of its creation. */
      min_created_at?: number | undefined
      /** At most. Unix time of its creation. */
      max_created_at?: number | undefined
      /** At least. USD, of its target token. */
      min_price?: number | undefined
      /** At most. USD, of its target token. */
      max_price?: number | undefined
      /** At least. USD in the pool; 0 where it is not trusted. */
      min_liquidity?: number | undefined
      /** At most. USD in the pool; 0 where it is not trusted. */
      max_liquidity?: number | undefined
      /** At least. USD traded in 5m. */
      min_volume_5m?: number | undefined
      /** At most. USD traded in 5m. */
      max_volume_5m?: number | undefined
      /** At least. Change of its price in 5m, percent. */
      min_change_5m?: number | undefined
      /** At most. Change of its price in 5m, percent. */
      max_change_5m?: number | undefined
      /** At least. Trades in 5m. */
      min_trades_5m?: number | undefined
      /** At most. Trades in 5m. */
      max_trades_5m?: number | undefined
      /** At least. USD traded in 1h. */
      min_volume_1h?: number | undefined
      /** At most. USD traded in 1h. */
      max_volume_1h?: number | undefined
      /** At least. Change of its price in 1h, percent. */
      min_change_1h?: number | undefined
      /** At most. Change of its price in 1h, percent. */
      max_change_1h?: number | undefined
      /** At least. Trades in 1h. */
      min_trades_1h?: number | undefined
      /** At most. Trades in 1h. */
      max_trades_1h?: number | undefined
      /** At least. USD traded in 4h. */
      min_volume_4h?: number | undefined
      /** At most. USD traded in 4h. */
      max_volume_4h?: number | undefined
      /** At least. Change of its price in 4h, percent. */
      min_change_4h?: number | undefined
      /** At most. Change of its price in 4h, percent. */
      max_change_4h?: number | undefined
      /** At least. Trades in 4h. */
      min_trades_4h?: number | undefined
      /** At most. Trades in 4h. */
      max_trades_4h?: number | undefined
      /** At least. USD traded in 24h. */
      min_volume_24h?: number | undefined
      /** At most. USD traded in 24h. */
      max_volume_24h?: number | undefined
      /** At least. Change of its price in 24h, percent. */
      min_change_24h?: number | undefined
      /** At most. Change of its price in 24h, percent. */
      max_change_24h?: number | undefined
      /** At least. Trades in 24h. */
      min_trades_24h?: number | undefined
      /** At most. Trades in 24h. */
      max_trades_24h?: number | undefined
      /** At least. Wallets that traded it in 24h. */
      min_makers_24h?: number | undefined
      /** At most. Wallets that traded it in 24h. */
      max_makers_24h?: number | undefined
      /** At least. USD traded in 24h without what a wallet traded back within a minute. */
      min_organic_24h?: number | undefined
      /** At most. USD traded in 24h without what a wallet traded back within a minute. */
      max_organic_24h?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<ScreenerPairs>

  /** Holders of a token. GET /v2/tokens/holders/{token-id}, 10 credit units. */
  tokenHolders(
    tokenId: string,
    params?: {
      /** Maximum number of holders. */
      limit?: number | undefined
      /** Sort key. */
      sort_by?: 'balance' | 'percentage' | undefined
      /** Direction. */
      order?: 'desc' | 'asc' | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly ListedHolder[]>

  /** Swaps of a wallet. GET /v2/address/tx, 100 credit units. */
  addressTxs(
    params: {
      /** Account that signed the transactions. */
      wallet_address: string
      /** Name of a served chain. */
      chain: string
      /** Only swaps of this token. */
      token_address?: string | undefined
      /** First second of the range, unix time. */
      from_time?: number | undefined
      /** Time of the last row of the previous page, RFC 3339 or unix seconds. */
      last_time?: string | undefined
      /** Id of the last row of the previous page; requires last_time. */
      last_id?: string | undefined
      /** Rows per page. */
      page_size?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<WalletTxs>

  /** Profit of a wallet with a token. GET /v2/address/pnl, 5 credit units. */
  addressPnl(
    params: {
      /** Account that signed the transactions. */
      wallet_address: string
      /** Name of a served chain. */
      chain: string
      /** The token. */
      token_address: string
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<WalletPnl | Empty>

  /** Profit and balance of a wallet. GET /v2/address/walletinfo, 5 credit units. */
  walletInfo(
    params: {
      /** Account that signed the transactions. */
      wallet_address: string
      /** Name of a served chain. */
      chain: string
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<WalletInfo>

  /** Tokens of a wallet. GET /v2/address/walletinfo/tokens, 10 credit units. */
  walletTokens(
    params: {
      /** Account that signed the transactions. */
      wallet_address: string
      /** Name of a served chain. */
      chain: string
      /** Sort key. */
      sort?:
        | 'last_txn_time'
        | 'balance_usd'
        | 'total_profit'
        | 'realized_profit'
        | 'unrealized_profit'
        | 'total_profit_ratio'
        | 'total_purchase_usd'
        | 'total_sold_usd'
        | undefined
      /** Direction. */
      sort_dir?: 'desc' | 'asc' | undefined
      /** Rows per page. */
      pageSize?: number | undefined
      /** Page number, from 1. */
      pageNO?: number | undefined
      /** 1: only tokens that the wallet still holds. */
      hide_sold?: boolean | undefined
      /** 1: only balances worth at least 1 USD; a larger number: at least that many USD. */
      hide_small?: string | undefined
      /** 1: only the quote tokens of the chain. */
      blue_chips?: boolean | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly WalletToken[]>

  /** Wallets with the largest profit. GET /v2/address/smart_wallet/list, 5 credit units. */
  smartWallets(
    params: {
      /** Name of a served chain. */
      chain: string
      /** Only wallets whose address contains this text. */
      keyword?: string | undefined
      /** Sort key. */
      sort?:
        | 'total_profit'
        | 'total_profit_rate'
        | 'total_volume'
        | 'total_trades'
        | 'token_profit_rate'
        | 'last_trade_time'
        | 'profit_above_900_percent_num'
        | 'profit_300_900_percent_num'
        | 'profit_100_300_percent_num'
        | 'profit_10_100_percent_num'
        | 'profit_neg10_10_percent_num'
        | 'profit_neg50_neg10_percent_num'
        | 'profit_neg100_neg50_percent_num'
        | undefined
      /** Direction. */
      sort_dir?: 'desc' | 'asc' | undefined
      /** Maximum number of rows. */
      limit?: number | undefined
      /** Least profit_above_900_percent_num. */
      profit_above_900_percent_num_min?: number | undefined
      /** Largest profit_above_900_percent_num. */
      profit_above_900_percent_num_max?: number | undefined
      /** Least profit_300_900_percent_num. */
      profit_300_900_percent_num_min?: number | undefined
      /** Largest profit_300_900_percent_num. */
      profit_300_900_percent_num_max?: number | undefined
      /** Least profit_100_300_percent_num. */
      profit_100_300_percent_num_min?: number | undefined
      /** Largest profit_100_300_percent_num. */
      profit_100_300_percent_num_max?: number | undefined
      /** Least profit_10_100_percent_num. */
      profit_10_100_percent_num_min?: number | undefined
      /** Largest profit_10_100_percent_num. */
      profit_10_100_percent_num_max?: number | undefined
      /** Least profit_neg10_10_percent_num. */
      profit_neg10_10_percent_num_min?: number | undefined
      /** Largest profit_neg10_10_percent_num. */
      profit_neg10_10_percent_num_max?: number | undefined
      /** Least profit_neg50_neg10_percent_num. */
      profit_neg50_neg10_percent_num_min?: number | undefined
      /** Largest profit_neg50_neg10_percent_num. */
      profit_neg50_neg10_percent_num_max?: number | undefined
      /** Least profit_neg100_neg50_percent_num. */
      profit_neg100_neg50_percent_num_min?: number | undefined
      /** Largest profit_neg100_neg50_percent_num. */
      profit_neg100_neg50_percent_num_max?: number | undefined
      /** Least last_trade_time. */
      last_trade_time_min?: number | undefined
      /** Largest last_trade_time. */
      last_trade_time_max?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly SmartWallet[]>

  /** Tokens that smart wallets buy. GET /v2/signals/public/list, 10 credit units. */
  signals(
    params?: {
      /** Only this chain. Default: all chains. */
      chain?: string | undefined
      /** Rows per page. */
      pageSize?: number | undefined
      /** Page number, from 1. */
      pageNO?: number | undefined
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly Signal[]>

  /** Served chains. GET /v2/supported_chains, 0 credit units. */
  supportedChains(
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<readonly ServedChain[]>

  /** State of every chain. GET /v2/status, 0 credit units. */
  status(
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<Status>

  /** Configuration of the chart feed. GET /udf/config, 10 credit units. */
  udfConfig(params?: Empty, call?: CallOptions): Promise<UdfConfig>

  /** Unix time of the chart feed. GET /udf/time, 10 credit units. */
  udfTime(params?: Empty, call?: CallOptions): Promise<number>

  /** One symbol of the chart feed. GET /udf/symbols, 10 credit units. */
  udfSymbols(
    params: {
      /** The ticker, `<pair_address>-<chain>`, `<token_address>-<chain>` or `SYMBOL/QUOTE`. */
      symbol: string
    },
    call?: CallOptions,
  ): Promise<UdfSymbol | UdfError>

  /** Search of the chart feed. GET /udf/search, 10 credit units. */
  udfSearch(
    params?: {
      /** Symbol, name or address of a token. */
      query?: string | undefined
      /** Only this chain. */
      exchange?: string | undefined
      /** All symbols are `crypto`. */
      type?: string | undefined
      /** Maximum number of symbols. */
      limit?: number | undefined
    },
    call?: CallOptions,
  ): Promise<readonly UdfFound[]>

  /** Bars of the chart feed. GET /udf/history, 10 credit units. */
  udfHistory(
    params: {
      /** Ticker or name of the symbol. */
      symbol: string
      /** Length of a bar: minutes, or `1S`, `1D`, `1W`, `1M`. */
      resolution:
        | '1S'
        | '1'
        | '3'
        | '5'
        | '15'
        | '30'
        | '60'
        | '120'
        | '180'
        | '240'
        | '360'
        | '720'
        | '1D'
        | '1W'
        | '1M'
        | 'S'
        | 'D'
        | 'W'
        | 'M'
      /** First second of the range, unix time. */
      from: number
      /** End of the range, unix time, exclusive. */
      to: number
      /** Number of bars before `to`, regardless of `from`. */
      countback?: number | undefined
    },
    call?: CallOptions,
  ): Promise<UdfBars | UdfNoData | UdfError>

  /** Quotes of the chart feed. GET /udf/quotes, 10 credit units. */
  udfQuotes(
    params: {
      /** Tickers or names of symbols, 1 to 50, separated by commas. */
      symbols: string
    },
    call?: CallOptions,
  ): Promise<UdfQuotes>

  /** Credits and rate of the calling key. GET /v2/usage, 0 credit units. */
  usage(
    params?: {
      fields?: string | undefined
    },
    call?: CallOptions,
  ): Promise<UsageBody>
}

/** Where each is asked; a GET unless it says POST. */
export const routes: Readonly<Record<keyof Operations, string>> = {
  tokenPrices: 'POST /v2/tokens/price',
  tokenBatch: 'POST /v2/tokens/search',
  searchTokens: '/v2/tokens',
  tokenDetail: '/v2/tokens/{token-id}',
  contractRisk: '/v2/contracts/{token-id}',
  topHolders: '/v2/tokens/top100/{token-id}',
  mainTokens: '/v2/tokens/main',
  trending: '/v2/tokens/trending',
  platformTokens: '/v2/tokens/platform',
  pairDetail: '/v2/pairs/{pair-id}',
  pricesAt: 'POST /v2/tokens/price/at',
  tokenPairs: '/v2/tokens/pairs/{token-id}',
  newPairs: '/v2/pairs/new',
  pairKlines: '/v2/klines/pair/{pair-id}',
  tokenKlines: '/v2/klines/token/{token-id}',
  swapTxs: '/v2/txs/swap/{pair-id}',
  liquidityTxs: '/v2/txs/liq/{pair-id}',
  txDetail: '/v2/txs/detail',
  rankTopics: '/v2/ranks/topics',
  ranks: '/v2/ranks',
  screener: '/v2/screener',
  screenerPairs: '/v2/screener/pairs',
  tokenHolders: '/v2/tokens/holders/{token-id}',
  addressTxs: '/v2/address/tx',
  addressPnl: '/v2/address/pnl',
  walletInfo: '/v2/address/walletinfo',
  walletTokens: '/v2/address/walletinfo/tokens',
  smartWallets: '/v2/address/smart_wallet/list',
  signals: '/v2/signals/public/list',
  supportedChains: '/v2/supported_chains',
  status: '/v2/status',
  udfConfig: '/udf/config',
  udfTime: '/udf/time',
  udfSymbols: '/udf/symbols',
  udfSearch: '/udf/search',
  udfHistory: '/udf/history',
  udfQuotes: '/udf/quotes',
  usage: '/v2/usage',
}
