import type {
  ContractRisk,
  Klines,
  LiquidityTxs,
  PairDetail,
  ServedChain,
  Status,
  SwapTxs,
  TokenDetail,
  TokenHolder,
  TokenRow,
  TrendingPage,
  UsageBody,
  WalletInfo,
  WalletToken,
  WalletTxs,
} from '@chaintape/protocol'
import { currentKey, refuseKey } from './session.ts'

type Params = Readonly<Record<string, string | number | boolean | undefined>>
type Call = { signal?: AbortSignal }

const pauseMsMax = 10_000

async function ask<answer>(path: string, params: Params, { signal }: Call = {}): Promise<answer> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  for (let tried = 0; ; tried += 1) {
    const key = await currentKey()
    const response = await fetch(`${path}?${query}`, {
      headers: { 'X-API-KEY': key },
      ...(signal === undefined ? {} : { signal }),
    })
    const body = await response.json()
    if (response.ok) return (body?.data_type === 1 && 'data' in body ? body.data : body) as answer
    if (response.status === 401 || response.status === 403) refuseKey(key, body.msg)
    else if (response.status !== 429 && response.status !== 503) throw new Error(body.msg)
    if (tried === 3) throw new Error(body.msg)
    const waitMs = Math.min(pauseMsMax, Number(response.headers.get('retry-after') ?? 0) * 1_000)
    await new Promise((resolve) => setTimeout(resolve, waitMs + 200 * tried))
  }
}

/** The operations that the terminal asks. */
export const rest = {
  supportedChains: (_params?: Params, call?: Call) =>
    ask<readonly ServedChain[]>('/v2/supported_chains', {}, call),
  status: (_params?: Params, call?: Call) => ask<Status>('/v2/status', {}, call),
  usage: (_params?: Params, call?: Call) => ask<UsageBody>('/v2/usage', {}, call),
  trending: (params: Params, call?: Call) => ask<TrendingPage>('/v2/tokens/trending', params, call),
  ranks: (params: Params, call?: Call) => ask<readonly TokenRow[]>('/v2/ranks', params, call),
  platformTokens: (params: Params, call?: Call) =>
    ask<readonly TokenRow[]>('/v2/tokens/platform', params, call),
  searchTokens: (params: Params, call?: Call) =>
    ask<readonly TokenRow[]>('/v2/tokens', params, call),
  tokenDetail: (id: string, params: Params = {}, call?: Call) =>
    ask<TokenDetail['data']>(`/v2/tokens/${id}`, params, call),
  contractRisk: (id: string, params: Params = {}, call?: Call) =>
    ask<ContractRisk>(`/v2/contracts/${id}`, params, call),
  topHolders: (id: string, params: Params = {}, call?: Call) =>
    ask<readonly TokenHolder[]>(`/v2/tokens/top100/${id}`, params, call),
  pairDetail: (id: string, params: Params = {}, call?: Call) =>
    ask<PairDetail>(`/v2/pairs/${id}`, params, call),
  tokenKlines: (id: string, params: Params = {}, call?: Call) =>
    ask<Klines>(`/v2/klines/token/${id}`, params, call),
  pairKlines: (id: string, params: Params = {}, call?: Call) =>
    ask<Klines>(`/v2/klines/pair/${id}`, params, call),
  swapTxs: (id: string, params: Params = {}, call?: Call) =>
    ask<SwapTxs>(`/v2/txs/swap/${id}`, params, call),
  liquidityTxs: (id: string, params: Params = {}, call?: Call) =>
    ask<LiquidityTxs>(`/v2/txs/liq/${id}`, params, call),
  addressTxs: (params: Params, call?: Call) => ask<WalletTxs>('/v2/address/tx', params, call),
  walletInfo: (params: Params, call?: Call) =>
    ask<WalletInfo>('/v2/address/walletinfo', params, call),
  walletTokens: (params: Params, call?: Call) =>
    ask<readonly WalletToken[]>('/v2/address/walletinfo/tokens', params, call),
}
