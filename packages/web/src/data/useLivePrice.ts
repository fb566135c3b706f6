import type { PushedPrice } from '@chaintape/protocol'
import { useMemo, useRef, useState } from 'preact/hooks'
import { createPacedTask } from '../lib/store.ts'
import { useStream } from './tape.ts'

// Interval at which a moving price is redrawn.
const everyMs = 100

/** The newest pushed price of a token or pair; null before the first. */
export function useLivePrice(id: string): PushedPrice | null {
  const [held, hold] = useState<{ id: string; price: PushedPrice } | null>(null)
  const newest = useRef(held)
  const show = useMemo(() => createPacedTask(() => hold(newest.current), everyMs), [])
  useStream(
    id,
    (tape) => tape.prices([id]),
    (price) => {
      newest.current = { id, price }
      show()
    },
  )
  return held?.id === id ? held.price : null
}
