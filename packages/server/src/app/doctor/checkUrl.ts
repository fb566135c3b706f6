import { checkEvmUrl, type EvmSample } from '../evm/doctor/checkEvmUrl.ts'
import { checkSolanaUrl, type SolanaSample } from '../solana/doctor/checkSolanaUrl.ts'
import type { CheckUrlOptions, UrlReport } from './urlReport.ts'

export type NodeReport = UrlReport<EvmSample> | UrlReport<SolanaSample>

/** Checks a node of Solana or, where the address does not answer as one, of an EVM chain. */
export async function checkUrl(options: CheckUrlOptions): Promise<NodeReport> {
  return (await checkSolanaUrl(options)) ?? (await checkEvmUrl(options))
}
