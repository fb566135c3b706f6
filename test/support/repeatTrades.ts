/**
 * A script that runs before the page's own. It keeps the newest swap frame of each socket, which
 * `repeatTrade` delivers repeatedly.
 */
export const repeatTrades = `
  let last, count = 0
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given)
      this.addEventListener('message', ({ data }) => {
        if (data.includes('"topic":"tx"') && !data.includes('repeated')) last = { socket: this, data }
      })
    }
  }
  window.repeatTrade = (times) => {
    for (let at = 0; at < times; at += 1) {
      const push = JSON.parse(last.data)
      count += 1
      push.result.tx.id = push.result.tx.block_number + '-' + (1000000 + count)
      push.result.tx.transaction = 'repeated ' + count
      last.socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(push) }))
    }
    return 'repeated ' + count
  }`
