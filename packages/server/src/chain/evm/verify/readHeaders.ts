import type { RpcResult } from '../../rpc/rpcCall.ts'
import type { RawBlock } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { agreementOn, askEach, type FailedChecks, type Report } from './failedChecks.ts'
import type { HeaderReader, Misfit, ReadHeader } from './headerReader.ts'

type HeaderContext = { rpc: EvmRpc; headers: HeaderReader; failedChecks: FailedChecks }

/** A header that does not make up its hash. */
export type FaultyHeader = { number: number; hash: string; misfit: Misfit }

export async function readHeader(
  context: HeaderContext,
  result: RpcResult,
  signal: AbortSignal,
): Promise<ReadHeader> {
  const [read] = await readHeaders(context, [result], signal)
  return read!
}

/**
 * Reads blocks as nodes gave them. A header with a field that this version does not know need not make up its hash where
 * independent endpoints report the same hash and fields, that one among them.
 */
export async function readHeaders(
  context: HeaderContext,
  results: readonly RpcResult[],
  signal: AbortSignal,
): Promise<ReadHeader[]> {
  const { headers, failedChecks } = context
  const reads = results.map((result) => headers.read(resultOf(result)))
  const isDegraded = failedChecks.isDegraded('header_hash')
  const faulty = reads.flatMap((read) => {
    const isExcusable = isDegraded || (read.misfit?.unknownFields.length ?? 0) > 0
    return isExcusable ? faultyOf(read) : []
  })
  if (faulty.length === 0) return reads
  await excuseAgreed(context, faulty, signal)
  return reads.map((read, at) => (read.misfit ? headers.read(resultOf(results[at]!)) : read))
}

export function faultyOf({ header, misfit }: ReadHeader): FaultyHeader[] {
  if (header === null || misfit === null) return []
  return [{ number: header.number, hash: header.hash, misfit }]
}

/** Excuses the headers that independent endpoints report alike, as far as the failing check permits. */
export async function excuseAgreed(
  context: HeaderContext,
  faulty: readonly FaultyHeader[],
  signal: AbortSignal,
): Promise<void> {
  const { rpc, headers, failedChecks } = context
  if (faulty.length === 0) return
  const calls = faulty.map(({ hash }) => ({ method: 'eth_getBlockByHash', params: [hash, false] }))
  const told = await askEach(rpc, async (endpoint, avoid) => {
    const results = await rpc.requestBatch(calls, { signal, avoid, roundsMax: 1, isNullMiss: true })
    return { endpoint, results }
  })
  for (const [at, { number, misfit }] of faulty.entries()) {
    const reports = told.flatMap(({ host, answer: { endpoint, results } }) => {
      const result = results[at]!
      return result.endpoint === endpoint ? reportOf(headers, result, host, misfit) : []
    })
    const agreement = agreementOn(misfit.text, reports)
    const isExplained = misfit.unknownFields.length > 0
    if (failedChecks.note({ check: 'header_hash', number, agreement }, isExplained))
      headers.excuse(misfit)
  }
}

function reportOf(
  headers: HeaderReader,
  result: RpcResult,
  host: string,
  { text, unknownFields }: Misfit,
): Report[] {
  const { header, misfit } = headers.read(resultOf(result))
  if (header === null) return []
  const sharesField =
    unknownFields.length === 0 || unknownFields.some((name) => misfit?.unknownFields.includes(name))
  const isSame = misfit?.text === text && sharesField
  return [{ host, text: isSame ? text : 'another', isPassed: header.isProven }]
}

function resultOf(result: RpcResult): unknown {
  return result.ok ? (result.value as RawBlock | null) : null
}
