import { ProbeFailedError } from './errors.ts'
import {
  type ProbeReport as EvmProbeReport,
  type ProbeOptions,
  probe as probeEvm,
} from './evm/probe/probe.ts'
import { probeSolana, type SolanaProbeReport } from './solana/probe/probeSolana.ts'

export type ProbeReport = EvmProbeReport | SolanaProbeReport

/** Probes a node of an EVM chain, or of Solana where it does not answer as one. */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  try {
    return await probeEvm(options)
  } catch (error) {
    const { url, ...rest } = options
    if (!(error instanceof ProbeFailedError) || !URL.canParse(url)) throw error
    const address = new URL(url)
    if (!/^https?:$/.test(address.protocol)) throw error
    const report = await probeSolana({ ...rest, url: address })
    if (report === null) throw error
    return report
  }
}
