import { type FetchContext, fetchRef, fetchSlots } from './fetchBlock.ts'

// Slots that are looked through for one with a block: a chain that stood still for longer is looked at further on.
const slotsPerLook = 500

/** The first slot with a block that is not before a time, among those that nodes have; after the newest where none is. */
export async function findSlotAt(
  context: FetchContext,
  timeS: number,
  signal: AbortSignal,
): Promise<number> {
  const { rpc, commitment } = context
  const head = Number(await rpc.request('getSlot', [{ commitment }], { signal }))
  // The first block from a slot on is the later the higher the slot: from `low` on it may be too old, from `high` on never.
  let low = Number(await rpc.request('getFirstAvailableBlock', [], { signal }))
  let high = head + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const slot = await firstFrom(context, middle, head, signal)
    const found = slot === null ? null : await fetchRef(context, slot, { signal })
    if (slot !== null && found !== null && found.value.timeS < timeS) low = slot + 1
    else high = middle
  }
  return (await firstFrom(context, low, head, signal)) ?? low
}

/** The first slot with a block from a number on, among those that nodes have; the number where none is. */
export async function findSlotFrom(
  context: FetchContext,
  number: number,
  signal: AbortSignal,
): Promise<number> {
  const { rpc, commitment } = context
  const head = Number(await rpc.request('getSlot', [{ commitment }], { signal }))
  const oldest = Number(await rpc.request('getFirstAvailableBlock', [], { signal }))
  return (await firstFrom(context, Math.max(number, oldest), head, signal)) ?? number
}

/** Null: no slot of the range has a block. */
async function firstFrom(
  context: FetchContext,
  from: number,
  last: number,
  signal: AbortSignal,
): Promise<number | null> {
  for (let at = from; at <= last; at += slotsPerLook) {
    const to = Math.min(last, at + slotsPerLook - 1)
    const [first] = await fetchSlots(context, { from: at, to }, { signal })
    if (first !== undefined) return first
  }
  return null
}
