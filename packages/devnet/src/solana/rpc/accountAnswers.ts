// A node's answers about accounts, from the state after the newest block.
import type { GeneratedChain } from '../generatedChain.ts'
import { metadataAddressOf, metadataProgram } from '../metadataAddress.ts'
import { metadataBytes, mintBytes } from '../mintBytes.ts'
import { cpmmProgram } from '../poolPrograms.ts'
import { pumpProgram, pumpSwapProgram } from '../pumpPrograms.ts'
import { tokenProgram } from '../transactionBuilder.ts'
import type { World } from '../world.ts'
import {
  cpmmBytes,
  curveBytes,
  curveSettingsBytes,
  pumpCurveSettings,
  pumpPoolBytes,
  pumpSettingsBytes,
  pumpSwapSettings,
  tokenAccountBytes,
} from './accountBytes.ts'
import { RpcFault } from './rpcFault.ts'

export type HoldersConfig = {
  minContextSlot?: number
  dataSlice?: { offset: number; length: number }
  filters?: readonly { dataSize?: number; memcmp?: { offset: number; bytes: string } }[]
}

const systemProgram = '11111111111111111111111111111111'
const rentLamports = 2_039_280

function accountOf(owner: string, data: Buffer, lamports = rentLamports): object {
  const base64 = [data.toString('base64'), 'base64']
  return { executable: false, rentEpoch: 0, space: data.length, lamports, owner, data: base64 }
}

/** Only token accounts, those of one mint, as an indexed node returns them. */
export function holdersAnswer(
  { world, head }: GeneratedChain,
  program: string,
  { minContextSlot = 0, dataSlice = { offset: 0, length: 165 }, filters = [] }: HoldersConfig,
): object {
  if (head.slot < minContextSlot)
    throw new RpcFault(-32_016, 'Minimum context slot has not been reached')
  const asked = filters.find(({ memcmp }) => memcmp?.offset === 0)?.memcmp?.bytes
  if (asked === undefined)
    throw new RpcFault(-32_010, `${program} excluded from account secondary indexes`)
  const { offset, length } = dataSlice
  const value = [...world.accounts]
    .filter(([, { mint }]) => mint === asked && world.mints.get(mint)?.program === program)
    .map(([pubkey, holding]) => {
      const data = tokenAccountBytes(holding).subarray(offset, offset + length)
      return { pubkey, account: accountOf(program, data) }
    })
  return { context: { slot: head.slot }, value }
}

/** An owner's accounts of one mint. */
export function ownedAnswer(
  { world, head }: GeneratedChain,
  owner: string,
  { mint }: { mint?: string },
): object {
  if (mint === undefined || !world.mints.has(mint))
    throw new RpcFault(-32_602, 'Invalid param: could not find mint')
  const value = [...world.accounts]
    .filter(([, holding]) => holding.owner === owner && holding.mint === mint)
    .map(([pubkey, holding]) => {
      const account = accountOf(world.mints.get(mint)!.program, tokenAccountBytes(holding))
      return { pubkey, account }
    })
  return { context: { slot: head.slot }, value }
}

export function accountAnswer({ world }: GeneratedChain, key: string): object | null {
  const mint = world.mints.get(key)
  if (mint !== undefined) return accountOf(mint.program, mintBytes(key, mint))
  const holding = world.accounts.get(key)
  if (holding !== undefined) {
    const program = world.mints.get(holding.mint)?.program ?? tokenProgram
    return accountOf(program, tokenAccountBytes(holding))
  }
  const pool = poolAnswer(world, key)
  if (pool !== null) return pool
  const lamports = world.lamports.get(key)
  if (lamports !== undefined) return accountOf(systemProgram, Buffer.alloc(0), Number(lamports))
  return metadataAnswer(world, key)
}

function poolAnswer(world: World, key: string): object | null {
  const [cpmm, pump] = [world.cpmms.get(key), world.pumpPools.get(key)]
  if (cpmm !== undefined) return accountOf(cpmmProgram, cpmmBytes(cpmm, world))
  if (pump !== undefined) return accountOf(pumpSwapProgram, pumpPoolBytes(pump))
  if (key === pumpSwapSettings) return accountOf(pumpSwapProgram, pumpSettingsBytes())
  if (key === pumpCurveSettings) return accountOf(pumpProgram, curveSettingsBytes())
  return curveAnswer(world, key)
}

function curveAnswer(world: World, key: string): object | null {
  for (const curve of world.curves.values())
    if (curve.curve === key)
      return accountOf(pumpProgram, curveBytes(curve), Number(world.lamports.get(key) ?? 0n))
  return null
}

function metadataAnswer(world: World, key: string): object | null {
  for (const [address, named] of world.mints)
    if (metadataAddressOf(address) === key)
      return accountOf(metadataProgram, metadataBytes(address, named))
  return null
}
