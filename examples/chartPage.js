// A page with a live chart of a pair: KEY=… node examples/chartPage.js <pair-id>, then open http://localhost:3000
// It needs esbuild and lightweight-charts, which this repository has for its tests.
import { createServer } from 'node:http'
import { build } from 'esbuild'

const [pairId, port = '3000'] = process.argv.slice(2)
const { URL_OF_SERVICE: url = 'http://localhost:8080', KEY: key } = process.env
if (pairId === undefined) {
  console.error('node examples/chartPage.js <pair-id> [port]')
  process.exit(1)
}

const script = `
  import { createTape } from '@chaintape/client'
  import { drawKlines } from '@chaintape/client/lightweight-charts'
  import { CandlestickSeries, createChart, HistogramSeries } from 'lightweight-charts'

  const chart = createChart(document.body, { autoSize: true, timeScale: { timeVisible: true, secondsVisible: true } })
  const series = chart.addSeries(CandlestickSeries, { priceFormat: { type: 'price', precision: 8, minMove: 1e-8 } })
  const volume = chart.addSeries(HistogramSeries, { priceScaleId: '', priceFormat: { type: 'volume' } })
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } })

  const tape = createTape(${JSON.stringify({ url, key })})
  tape.on(({ type }) => { if (type === 'connected' || type === 'disconnected') document.title = type })
  const drawn = await drawKlines(tape, { pairId: ${JSON.stringify(pairId)}, interval: 's1', series, volume })
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null && range.from < 10) drawn.loadOlder()
  })
  Object.assign(window, { chart, series, volume })
`
const { outputFiles } = await build({
  stdin: { contents: script, resolveDir: import.meta.dirname, loader: 'js' },
  bundle: true,
  write: false,
  format: 'esm',
  minify: true,
})
const [{ text: bundle }] = outputFiles
const page = `<!doctype html><meta charset="utf-8"><title>starting</title>
<style>html, body { height: 100%; margin: 0 }</style><script type="module" src="/chart.js"></script>`

const server = createServer((request, response) => {
  const isScript = request.url === '/chart.js'
  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
  response.end(isScript ? bundle : page)
})
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
