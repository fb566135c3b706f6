import { expect, test } from 'vitest'
import { createRest } from '../../../client/src/index.ts'
import { chosenKlines, firstKlines, pointsAtOnce } from './firstKlines.ts'

const id = '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0-local'

test('default: what is asked for early is what the client asks for later', async () => {
  const asked: string[] = []
  const rest = createRest({
    url: 'http://here',
    key: 'key',
    fetch: async (url) => {
      asked.push(String(url))
      return Response.json({ points: [] })
    },
  })
  for (const text of ['', 'interval=k5&unit=native']) {
    const query = new URLSearchParams(text)
    const { interval, unit: category } = chosenKlines(query)
    const params = { interval, category, limit: pointsAtOnce }
    await rest.tokenKlines(id, params)
    expect(`http://here${firstKlines(`/token/${id}`, query)}`).toBe(asked.at(-1))
    await rest.pairKlines(id, params)
    expect(`http://here${firstKlines(`/pair/${id}`, query)}`).toBe(asked.at(-1))
  }
})

test('behavior: pages without a chart ask for none', () => {
  const none = new URLSearchParams()
  for (const path of ['/', '/launches', `/wallet/${id}`, '/token/', `/token/${id}/more`])
    expect(firstKlines(path, none)).toBe(null)
})
