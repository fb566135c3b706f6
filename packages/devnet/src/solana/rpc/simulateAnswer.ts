// simulateTransaction for sales in the generator's own pools: its programs run on a copy of the
// state, after the checks of the token program.
import type { GeneratedChain } from '../generatedChain.ts'
import { cpmmProgram, swapOnCpmm } from '../poolPrograms.ts'
import { pumpProgram, pumpSwapProgram, sellOnCurve } from '../pumpPrograms.ts'
import { sellOnPumpSwap } from '../pumpSwapTrades.ts'
import { tokenProgram } from '../transactionBuilder.ts'
import { copyWorld, type Pool, type World, WorldTransaction } from '../world.ts'
import { readLegacyWire, type SentInstruction } from './readLegacyWire.ts'
import { RpcFault } from './rpcFault.ts'

const associatedProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const swapBaseInput = '8fbe5adac41e33de'
const sell = '33e685a4017f83ad'

/** Error codes of the token programs. */
const tokenFault = { insufficient: 1, mintMismatch: 3, ownerMismatch: 4, frozen: 17, bound: 37 }

/** Error of pump.fun's curve once it is complete. */
const curveIsComplete = 6_005

/** A failed instruction, which ends its transaction, with its error and log lines. */
class InstructionFault extends Error {
  readonly error: object | string
  readonly logs: readonly string[]
  constructor(error: object | string, logs: readonly string[]) {
    super('instruction failed')
    this.error = error
    this.logs = logs
  }
}

type Config = { encoding?: string; sigVerify?: boolean; replaceRecentBlockhash?: boolean }

export function simulateAnswer(chain: GeneratedChain, base64: string, config: Config): object {
  if (config.encoding !== 'base64') throw new RpcFault(-32_602, 'encoding must be base64')
  if (config.sigVerify) throw new RpcFault(-32_003, 'Transaction signature verification failure')
  const { signers, instructions } = readLegacyWire(base64)
  const world = copyWorld(chain.world)
  const logs: string[] = []
  const answer = (err: object | string | null) => ({
    context: { slot: chain.head.slot },
    value: { err, logs, unitsConsumed: 30_000 * instructions.length, accounts: null },
  })
  const [payer] = signers
  if (!world.lamports.get(payer ?? '')) return answer('AccountNotFound')
  for (const [index, instruction] of instructions.entries())
    try {
      logs.push(...execute(world, instruction, signers))
    } catch (fault) {
      if (!(fault instanceof InstructionFault)) throw fault
      logs.push(...fault.logs)
      return answer({ InstructionError: [index, fault.error] })
    }
  return answer(null)
}

/** Returns its logs. */
function execute(
  world: World,
  instruction: SentInstruction,
  signers: ReadonlySet<string>,
): readonly string[] {
  const { program, data } = instruction
  const tag = data.toString('hex', 0, 8)
  if (program === associatedProgram && data[0] === 1) return openAccount(world, instruction)
  if (program === cpmmProgram && tag === swapBaseInput) return trade(world, instruction, signers)
  if (program === pumpSwapProgram && tag === sell) return trade(world, instruction, signers)
  if (program === pumpProgram && tag === sell) return sellToCurve(world, instruction, signers)
  throw new InstructionFault('UnsupportedProgramId', [])
}

function openAccount(world: World, { program, accounts }: SentInstruction): string[] {
  const [, account, owner, mint] = accounts as [string, string, string, string]
  const isFrozen = world.mints.get(mint)?.startsFrozen ?? false
  if (!world.accounts.has(account))
    world.accounts.set(account, { mint, owner, amount: 0n, isFrozen })
  return [`Program ${program} invoke [1]`, `Program ${program} success`]
}

function trade(
  world: World,
  { program, accounts, data }: SentInstruction,
  signers: ReadonlySet<string>,
): readonly string[] {
  const isCpmm = program === cpmmProgram
  const [poolKey, seller] = isCpmm ? [accounts[3]!, accounts[0]!] : [accounts[0]!, accounts[1]!]
  const [source, target] = isCpmm ? [accounts[4]!, accounts[5]!] : [accounts[5]!, accounts[6]!]
  if (!signers.has(seller)) throw new InstructionFault('MissingRequiredSignature', [])
  const pool: Pool | undefined = isCpmm ? world.cpmms.get(poolKey) : world.pumpPools.get(poolKey)
  if (pool === undefined) throw failureOf(program, 3_007)
  const amount = data.readBigUInt64LE(8)
  const side = pool.mints[0] === world.accounts.get(source)?.mint ? 0 : 1
  const paid = { account: target, mint: pool.mints[1 - side]! }
  checkAccounts(world, { program, mint: pool.mints[side], seller, source, paid, amount })
  const tx = new WorldTransaction(world, seller, 0)
  if (isCpmm) swapOnCpmm(tx, world.cpmms.get(poolKey)!, side, amount)
  else sellOnPumpSwap(tx, pool, amount)
  return tx.builder.build().meta.logMessages
}

/** Paid in lamports, which need no account. */
function sellToCurve(
  world: World,
  { program, accounts, data }: SentInstruction,
  signers: ReadonlySet<string>,
): readonly string[] {
  const [mint, key, source, seller] = [accounts[2]!, accounts[3]!, accounts[5]!, accounts[6]!]
  if (!signers.has(seller)) throw new InstructionFault('MissingRequiredSignature', [])
  const curve = world.curves.get(mint)
  if (curve?.curve !== key) throw failureOf(program, 3_012)
  if (curve.isComplete) throw failureOf(program, curveIsComplete)
  const amount = data.readBigUInt64LE(8)
  checkAccounts(world, { program, mint, seller, source, paid: null, amount })
  const tx = new WorldTransaction(world, seller, 0)
  sellOnCurve(tx, mint, amount)
  return tx.builder.build().meta.logMessages
}

type Sale = {
  program: string
  mint: string
  seller: string
  source: string
  /** Null if paid in lamports. */
  paid: { account: string; mint: string } | null
  amount: bigint
}

/** Checks of a sale's accounts by the programs. */
function checkAccounts(world: World, sale: Sale): void {
  const { program, seller, source, paid, amount } = sale
  const from = world.accounts.get(source)
  const to = paid === null ? null : world.accounts.get(paid.account)
  if (from === undefined || to === undefined) throw failureOf(program, 3_012)
  if (from.mint !== sale.mint || to?.mint !== paid?.mint)
    throw failureOf(program, tokenFault.mintMismatch)
  const mint = world.mints.get(from.mint)
  const refused = (code: number) => failureOf(program, code, mint?.program ?? tokenProgram)
  if (from.owner !== seller) throw refused(tokenFault.ownerMismatch)
  if (from.isFrozen || to?.isFrozen) throw refused(tokenFault.frozen)
  if (from.amount < amount) throw refused(tokenFault.insufficient)
  if (mint?.isBound) throw refused(tokenFault.bound)
}

/** `inner` is the called program that failed. */
function failureOf(program: string, code: number, inner?: string): InstructionFault {
  const reason = `custom program error: 0x${code.toString(16)}`
  const called =
    inner === undefined ? [] : [`Program ${inner} invoke [2]`, `Program ${inner} failed: ${reason}`]
  const logs = [`Program ${program} invoke [1]`, ...called, `Program ${program} failed: ${reason}`]
  return new InstructionFault({ Custom: code }, logs)
}
