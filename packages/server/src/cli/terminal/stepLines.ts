import type { StartStep } from '../../app/startStep.ts'
import { escapeText } from '../../lib/escapeText.ts'
import type { TextSink } from '../context.ts'
import { styleOf } from './output.ts'

export type StepLines = {
  /** Shows the current step. A new title completes the previous step. */
  show(step: StartStep): void
  /** Ends the last step, successfully or not. Draws nothing until the next step. */
  end(isGood: boolean): void
  /** Prints a separate line. */
  print(text: string): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 80
const barChars = 24

/**
 * Shows one line for each step on a terminal: a spinner with progress for the current one, a mark
 * for completed ones.
 */
export function createStepLines(sink: TextSink, nowMs: () => number): StepLines {
  const style = styleOf(sink)
  let current: StartStep | null = null
  let beganMs = 0
  let frame = 0
  let timer: NodeJS.Timeout | undefined

  const seconds = () => `${((nowMs() - beganMs) / 1_000).toFixed(1)} s`

  function draw(): void {
    if (current === null) return
    frame = (frame + 1) % frames.length
    const { title, done, total, note } = current
    const isCounted = done !== undefined && total !== undefined && total > 0
    const details = isCounted ? barText(done / total) : escapeText(note ?? seconds())
    // A longer text would wrap, and the next update would not overwrite it.
    const room = Math.max(0, sink.columns - title.length - 4)
    sink.write(
      `\r\x1b[2K${style.accent(frames[frame]!)} ${title} ${style.dim(details.slice(0, room))}`,
    )
  }

  function finish(isGood: boolean): void {
    if (current === null) return
    const mark = isGood ? style.good('✔') : style.bad('✖')
    sink.write(`\r\x1b[2K${mark} ${current.title} ${style.dim(seconds())}\n`)
    current = null
  }

  return {
    show(step) {
      if (current?.title !== step.title) {
        finish(true)
        beganMs = nowMs()
      }
      current = step
      draw()
      timer ??= setInterval(draw, frameMs).unref()
    },
    end(isGood) {
      finish(isGood)
      clearInterval(timer)
      timer = undefined
    },
    print: (text) => sink.write(`${text}\n`),
  }
}

function barText(share: number): string {
  const filled = Math.floor(Math.min(Math.max(share, 0), 1) * barChars)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barChars - filled)}`
  return `${bar} ${Math.floor(100 * Math.min(share, 1))} %`
}
