import type { MulticallCall, MulticallResult } from '../../chain/evm/calls/multicall.ts'
import type { Inquiry } from '../../venues/evm/asking/inquiry.ts'

type CallMany = (calls: readonly MulticallCall[]) => Promise<MulticallResult[]>

type Asking<answer> = { place: number; inquiry: Inquiry<answer> }

/**
 * Runs many multi-step inquiries at once: each round sends the calls of all of them in one request.
 * Answers are in order.
 */
export async function performInquiries<answer>(
  inquiries: readonly Inquiry<answer>[],
  callMany: CallMany,
): Promise<answer[]> {
  const answers = new Array<answer>(inquiries.length)
  let open = inquiries.map((inquiry, place): Asking<answer> => ({ place, inquiry }))
  for (;;) {
    const asking = open.flatMap(({ place, inquiry }) => {
      if ('calls' in inquiry) return { place, inquiry }
      answers[place] = inquiry.answer
      return []
    })
    if (asking.length === 0) return answers
    const results = await callMany(asking.flatMap(({ inquiry }) => inquiry.calls))
    let at = 0
    open = asking.map(({ place, inquiry: { calls, next } }) => {
      const own = results.slice(at, at + calls.length)
      at += calls.length
      return { place, inquiry: next(own.map((result) => (result.ok ? result.data : null))) }
    })
  }
}
