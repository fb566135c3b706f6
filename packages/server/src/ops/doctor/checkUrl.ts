import { checkEvmUrl, type EvmSample } from './evm/checkEvmUrl.ts'
import { checkSolanaUrl, type SolanaSample } from './solana/checkSolanaUrl.ts'
import type { CheckUrlOptions, UrlReport } from './urlReport.ts'

export type NodeReport = UrlReport<EvmSample> | UrlReport<SolanaSample>

/** Checks a node as Solana, or as EVM if it does not answer Solana methods. */
export async function checkUrl(options: CheckUrlOptions): Promise<NodeReport> {
  return (await checkSolanaUrl(options)) ?? (await checkEvmUrl(options))
}
