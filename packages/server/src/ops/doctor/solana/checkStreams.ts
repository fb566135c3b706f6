import { type GrpcEndpoint, streamBlocks } from '../../../chain/solana/grpc/grpcStream.ts'
import { readGrpcRef } from '../../../chain/solana/grpc/readGrpcBlock.ts'
import type { SolanaChainSetup } from '../../../kinds/solana/solanaSetup.ts'
import { type DoctorFinding, findingsOf } from '../finding.ts'
import { nodeTimeoutMs } from '../nodeFindings.ts'

export type GrpcStreamsSetup = Pick<SolanaChainSetup, 'streams' | 'commitment' | 'secrets'> & {
  profile: Pick<SolanaChainSetup['profile'], 'name'>
}

/** Checks that each gRPC node streams a block at the configured commitment. */
export async function checkStreams(
  { profile, streams, commitment, secrets }: GrpcStreamsSetup,
  msMax = nodeTimeoutMs,
): Promise<DoctorFinding[]> {
  return await Promise.all(
    streams.map(async (endpoint, at) => {
      const name = `${profile.name} grpc[${at}] ${new URL(endpoint.url).host}`
      const { ok, warn, fail } = findingsOf(name)
      const { slot, fault } = await firstBlock({ ...endpoint, commitment, secrets }, msMax)
      if (slot !== null) return ok('stream', `Streams ${commitment} blocks: slot ${slot}.`)
      const advice = 'Correct its url, its token or the network, or remove it from grpc.'
      return commitment === 'processed'
        ? fail('stream', `${fault}: processed blocks come only from streams.`, advice)
        : warn('stream', `${fault}: blocks are read from rpc instead.`, advice)
    }),
  )
}

async function firstBlock(
  endpoint: GrpcEndpoint & Pick<GrpcStreamsSetup, 'commitment' | 'secrets'>,
  msMax: number,
): Promise<{ slot: number | null; fault: string }> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), msMax)
  let slot: number | null = null
  const ended = await streamBlocks({
    ...endpoint,
    signal: ending.signal,
    onBlock(bytes) {
      slot = readGrpcRef(bytes)?.number ?? null
      ending.abort()
    },
  })
  const fault = ending.signal.aborted ? `No block within ${msMax} ms` : ended
  clearTimeout(timer)
  return { slot, fault }
}
