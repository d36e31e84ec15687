// A path on the mask: from the own cell of the key along columns and rows to that of the query.

/** Where r reads s the line turns at cell (r, s), and goes on through the diagonal cell (r, r). */
function drawPath(pen, grid) {
  const { chosen, view } = grid.state;
  if (!chosen) return;
  const colour = isForbidden(view, chosen.q, chosen.k) || chosen.error ? "leak" : "ink";
  const moves = chosen.steps ? movesOf(chosen.steps) : [];
  const points = moves.length ? [grid.centre(moves[0].source, moves[0].source)] : [];
  for (const { source, reader } of moves) {
    points.push(grid.centre(reader, source), grid.centre(reader, reader));
  }
  drawPair(pen, grid, chosen);
  drawLine(pen, points, css(grid.colours.paper, 0.9), 5);
  drawLine(pen, points, css(grid.colours[colour]), 2.2);
  drawEnds(pen, points, grid, colour);
  for (const move of moves) drawMove(pen, grid, move, colour);
}

function drawLine(pen, points, stroke, width) {
  pen.strokeStyle = stroke;
  pen.lineWidth = width;
  pen.lineJoin = pen.lineCap = "round";
  pen.beginPath();
  points.forEach(({ x, y }, i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

/** A ring where the path starts, a dot where it ends. */
function drawEnds(pen, points, grid, colour) {
  if (points.length < 2) return;
  const radius = Math.max(3, Math.min(6, grid.cell / 6));
  for (const [point, fill] of [[points[0], "paper"], [points.at(-1), colour]]) {
    pen.beginPath();
    pen.arc(point.x, point.y, radius, 0, 2 * Math.PI);
    pen.fillStyle = css(grid.colours[fill]);
    pen.strokeStyle = css(grid.colours[colour]);
    pen.lineWidth = 2;
    pen.fill();
    pen.stroke();
  }
}

/** The cell that a move reads, with the number of its layer where there is room. */
function drawMove(pen, grid, { reader, source, layer }, colour) {
  const { x, y } = grid.centre(reader, source);
  const radius = Math.max(2, Math.min(9, grid.cell / 2.6));
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = css(grid.colours[colour]);
  pen.strokeStyle = css(grid.colours.paper);
  pen.lineWidth = 1.5;
  pen.fill();
  pen.stroke();
  if (radius < 7) return;
  pen.fillStyle = css(grid.colours.paper);
  pen.font = font(radius * 1.25, 600);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(`${layer}`, x, y + 0.5);
}

/** A frame around the pair itself. */
function drawPair(pen, grid, { q, k }) {
  const side = Math.max(grid.cell, 8);
  const { x, y } = grid.centre(q, k);
  for (const [role, width] of [["paper", 4.5], ["ink", 2]]) {
    pen.strokeStyle = css(grid.colours[role]);
    pen.lineWidth = width;
    pen.beginPath();
    pen.roundRect(x - side / 2, y - side / 2, side, side, Math.min(4, side / 8));
    pen.stroke();
  }
}
