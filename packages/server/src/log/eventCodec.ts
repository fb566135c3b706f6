import type {
  FinishedEvent,
  FinishedLiquidity,
  FinishedState,
  FinishedSwap,
} from '../model/finishedBlock.ts'
import type { EntryReader } from './entryReader.ts'
import type { EntryWriter } from './entryWriter.ts'

// Positions are written: add at the end, never reorder.
const eventTypes = ['swap', 'liquidity', 'sync', 'launch', 'curve', 'graduation'] as const
const liquidityKinds = ['add', 'remove', 'collect', 'create'] as const

export function encodeEvent(writer: EntryWriter, event: FinishedEvent): void {
  writer.byte(eventTypes.indexOf(event.type))
  writer.varint(event.index)
  switch (event.type) {
    case 'swap':
      encodeSwap(writer, event)
      break
    case 'liquidity':
      encodeLiquidity(writer, event)
      break
    case 'sync':
      writer.varint(event.pairId)
      encodeState(writer, event)
      break
    case 'launch':
      writer.string(event.txHash)
      writer.string(event.wallet)
      writer.varint(event.pairId)
      writer.varint(event.tokenId)
      writer.string(event.creator)
      break
    case 'curve':
      writer.varint(event.pairId)
      writer.varint(event.filledPpm)
      break
    case 'graduation':
      writer.string(event.txHash)
      writer.string(event.wallet)
      writer.varint(event.tokenId)
      writer.varint(event.curvePairId)
      writer.varint(event.pairId)
      break
  }
}

export function decodeEvent(reader: EntryReader): FinishedEvent {
  const type = reader.choice(eventTypes)
  const index = reader.varint()
  switch (type) {
    case 'swap':
      return decodeSwap(reader, index)
    case 'liquidity':
      return decodeLiquidity(reader, index)
    case 'sync':
      return { type, index, pairId: reader.varint(), ...decodeState(reader) }
    case 'launch':
      return {
        type,
        index,
        txHash: reader.string(),
        wallet: reader.string(),
        pairId: reader.varint(),
        tokenId: reader.varint(),
        creator: reader.string(),
      }
    case 'curve':
      return { type, index, pairId: reader.varint(), filledPpm: reader.varint() }
    case 'graduation':
      return {
        type,
        index,
        txHash: reader.string(),
        wallet: reader.string(),
        tokenId: reader.varint(),
        curvePairId: reader.varint(),
        pairId: reader.varint(),
      }
  }
}

function encodeSwap(writer: EntryWriter, swap: FinishedSwap): void {
  writer.string(swap.txHash)
  writer.string(swap.wallet)
  writer.varint(swap.pairId)
  writer.string(swap.sender)
  writer.string(swap.to)
  writer.bigint(swap.amount0)
  writer.bigint(swap.amount1)
  encodeState(writer, swap)
  writer.bigintOrNull(swap.holding0)
  writer.bigintOrNull(swap.holding1)
  writer.bigintOrNull(swap.native)
  writer.varint(swap.accountFlags)
}

function decodeSwap(reader: EntryReader, index: number): FinishedSwap {
  return {
    type: 'swap',
    index,
    txHash: reader.string(),
    wallet: reader.string(),
    pairId: reader.varint(),
    sender: reader.string(),
    to: reader.string(),
    amount0: reader.bigint(),
    amount1: reader.bigint(),
    reserve0: reader.bigint(),
    reserve1: reader.bigint(),
    priceRaw: reader.float(),
    holding0: reader.bigintOrNull(),
    holding1: reader.bigintOrNull(),
    native: reader.bigintOrNull(),
    accountFlags: reader.varint(),
  }
}

function encodeLiquidity(writer: EntryWriter, liquidity: FinishedLiquidity): void {
  writer.byte(liquidityKinds.indexOf(liquidity.kind))
  writer.string(liquidity.txHash)
  writer.string(liquidity.wallet)
  writer.varint(liquidity.pairId)
  writer.string(liquidity.sender)
  writer.bigint(liquidity.amount0)
  writer.bigint(liquidity.amount1)
  encodeState(writer, liquidity)
}

function decodeLiquidity(reader: EntryReader, index: number): FinishedLiquidity {
  return {
    type: 'liquidity',
    index,
    kind: reader.choice(liquidityKinds),
    txHash: reader.string(),
    wallet: reader.string(),
    pairId: reader.varint(),
    sender: reader.string(),
    amount0: reader.bigint(),
    amount1: reader.bigint(),
    ...decodeState(reader),
  }
}

function encodeState(writer: EntryWriter, state: FinishedState): void {
  writer.bigint(state.reserve0)
  writer.bigint(state.reserve1)
  writer.float(state.priceRaw)
}

function decodeState(reader: EntryReader): FinishedState {
  return { reserve0: reader.bigint(), reserve1: reader.bigint(), priceRaw: reader.float() }
}
