import {
  parseHeader,
  type RawBlock,
  type RawLog,
  type RawReceipt,
} from '../../../chain/evm/fetch/rawBlock.ts'
import { createBloomIndex } from '../../../chain/evm/verify/bloom.ts'
import { createHashFormat, isReceiptFormListed } from '../../../chain/evm/verify/headerReader.ts'
import { type NodeChecks, validateBlock } from '../../../chain/evm/verify/validateBlock.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { DoctorNode } from '../doctorNode.ts'
import { type DoctorFinding, findingsOf } from '../finding.ts'
import type { NodeAbilities } from './nodeAbilities.ts'

type BlockTerms = {
  abilities: NodeAbilities
  checks: NodeChecks
  chainId: number | undefined
}

/** Checks a block's logs and receipts against its header, with the same rules as indexing. */
export async function checkBlock(
  name: string,
  node: DoctorNode,
  raw: unknown,
  { abilities, checks, chainId }: BlockTerms,
): Promise<DoctorFinding> {
  const { ok, warn, fail } = findingsOf(name)
  const header = parseHeader(raw)
  if (header === null)
    return fail(
      'blocks',
      'The answer is not a block.',
      'Remove it from rpc: it is not an EVM node.',
    )
  const ask = (method: string, param: unknown) => node.ask(method, [param]).catch(() => null)
  const receipts = abilities.hasBlockReceipts
    ? await ask('eth_getBlockReceipts', header.hash)
    : null
  const logs = await ask('eth_getLogs', { blockHash: header.hash })
  const given = Array.isArray(logs) ? logs : logsOf(receipts)
  if (given === null)
    return warn(
      'blocks',
      `Returns no logs of block ${header.number}.`,
      'It may keep only the newest blocks: add another node for history.',
    )
  const parts = {
    header,
    isComplete: true,
    logs: given as RawLog[],
    transactions: (raw as RawBlock).transactions ?? [],
    receipts: Array.isArray(receipts) ? (receipts as RawReceipt[]) : null,
  }
  const form = createHashFormat({
    chain: name,
    what: 'receipts',
    isListed: isReceiptFormListed(chainId),
    logger: createLogger('silent'),
  })
  const { fault } = validateBlock(parts, {
    checks,
    wanted: new Map(),
    index: createBloomIndex(),
    receipts: form,
  })
  if (fault === null)
    return ok('blocks', `The ${given.length} logs of block ${header.number} match its header.`)
  return fail(
    'blocks',
    `Block ${header.number}: ${fault}.`,
    'It omits or invents logs: remove it from rpc, or turn off the check that this chain breaks (node_checks).',
  )
}

/** Returns all logs of a block from its receipts; null: no receipts. */
function logsOf(receipts: unknown): unknown[] | null {
  if (!Array.isArray(receipts)) return null
  return receipts.flatMap((receipt: { logs?: unknown[] } | null) => receipt?.logs ?? [])
}
