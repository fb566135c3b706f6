import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** A step that takes longer is reported, and again each minute. */
const slowMs = 180_000
const checkEveryMs = 60_000

type Step = { what: string; sinceMs: number }

/**
 * Reports steps that take long. Vitest reports a file when it ends, so the output of a hanging run
 * would name every file except the hanging one.
 */
export default class SlowTests implements Reporter {
  /** The current step of each unfinished file. */
  private readonly steps = new Map<string, Step>()
  private timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.timer = setInterval(() => this.report(), checkEveryMs)
  }

  onTestRunEnd(): void {
    clearInterval(this.timer)
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.steps.set(moduleId, { what: 'loading', sinceMs: performance.now() })
  }

  onTestCaseReady(test: TestCase): void {
    this.begin(test.module, test.fullName)
  }

  onTestCaseResult(test: TestCase): void {
    this.begin(test.module, `after ${test.fullName}`)
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.steps.delete(moduleId)
  }

  /** Vitest may report a test after the end of its file. */
  private begin({ moduleId }: TestModule, what: string): void {
    if (this.steps.has(moduleId)) this.steps.set(moduleId, { what, sinceMs: performance.now() })
  }

  private report(): void {
    for (const [file, { what, sinceMs }] of this.steps) {
      const ms = performance.now() - sinceMs
      if (ms < slowMs) continue
      const minutes = Math.round(ms / 60_000)
      process.stdout.write(`Slow: ${relative('.', file)}: ${what}: ${minutes} min\n`)
    }
  }
}
