/* SPDX-License-Identifier: MIT */
/* draw.c - cairo's calls for each mark. */
#include "tools/plot/draw.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <errno.h>

#include "tools/base/late.h"

/* clang-format off */
#define CAIRO_CALLS(CALL)									   \
	CALL(cairo_close_path) CALL(cairo_create) CALL(cairo_destroy) CALL(cairo_fill)		   \
	CALL(cairo_image_surface_create) CALL(cairo_line_to) CALL(cairo_move_to)		   \
	CALL(cairo_new_path) CALL(cairo_paint) CALL(cairo_pdf_surface_create_for_stream)	   \
	CALL(cairo_recording_surface_create) CALL(cairo_restore) CALL(cairo_rotate)		   \
	CALL(cairo_save) CALL(cairo_scale) CALL(cairo_select_font_face)				   \
	CALL(cairo_set_antialias) CALL(cairo_set_dash) CALL(cairo_set_font_size)		   \
	CALL(cairo_set_line_width) CALL(cairo_set_source_rgb) CALL(cairo_show_text)		   \
	CALL(cairo_status) CALL(cairo_status_to_string) CALL(cairo_stroke)			   \
	CALL(cairo_surface_destroy) CALL(cairo_surface_finish) CALL(cairo_surface_status)	   \
	CALL(cairo_surface_write_to_png_stream) CALL(cairo_svg_surface_create_for_stream)	   \
	CALL(cairo_svg_surface_set_document_unit) CALL(cairo_text_extents) CALL(cairo_translate)
/* clang-format on */

static struct LATE_CALLS(CAIRO_CALLS) lib;
static const char *const lib_call[] = { LATE_NAMES(CAIRO_CALLS) };

int draw_open(struct err *err)
{
	const char *why = late_load(CAIRO_LIBRARY, lib_call, LATE_COUNT(lib_call), &lib);

	return why ? err_set(err, ENOENT, "cannot load cairo, which draws: %s", why) : 0;
}

const char *const draw_format_name[DRAW_FORMATS] = { "svg", "pdf", "png" };

static void set_colour(cairo_t *cairo, uint32_t colour)
{
	lib.cairo_set_source_rgb(cairo, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
				 (colour & 255) / 255.0);
}

static void set_font(cairo_t *cairo, const char *family, double size)
{
	lib.cairo_select_font_face(cairo, family, CAIRO_FONT_SLANT_NORMAL,
				   CAIRO_FONT_WEIGHT_NORMAL);
	lib.cairo_set_font_size(cairo, size);
}

static double width_of(cairo_t *cairo, const char *text)
{
	cairo_text_extents_t extents;

	lib.cairo_text_extents(cairo, text, &extents);
	return extents.x_advance;
}

static void draw_text(cairo_t *cairo, const struct picture *picture, const struct mark *mark)
{
	const struct point *at = &picture->point[mark->first];
	double width, shift;

	set_font(cairo, picture->font, mark->size);
	width = width_of(cairo, mark->text);
	shift = mark->align == ALIGN_LEFT ? 0 : mark->align == ALIGN_RIGHT ? width : width / 2;
	lib.cairo_save(cairo);
	lib.cairo_translate(cairo, at->x, at->y);
	if (mark->upwards)
		lib.cairo_rotate(cairo, -1.5707963267948966);
	lib.cairo_move_to(cairo, -shift, 0);
	lib.cairo_show_text(cairo, mark->text);
	lib.cairo_restore(cairo);
}

static void draw_line(cairo_t *cairo, const struct mark *mark)
{
	double dash[] = { 3 * mark->size, 2 * mark->size };

	lib.cairo_set_dash(cairo, dash, mark->dashed ? 2 : 0, 0);
	lib.cairo_set_line_width(cairo, mark->size);
	lib.cairo_stroke(cairo);
}

static void draw_mark(cairo_t *cairo, const struct picture *picture, const struct mark *mark)
{
	const struct point *point = &picture->point[mark->first];

	set_colour(cairo, mark->colour);
	if (mark->what == MARK_TEXT) {
		draw_text(cairo, picture, mark);
		return;
	}
	lib.cairo_new_path(cairo);
	for (uint32_t i = 0; i < mark->n; i++)
		lib.cairo_line_to(cairo, point[i].x, point[i].y);
	if (mark->what == MARK_LINE) {
		draw_line(cairo, mark);
	} else {
		lib.cairo_close_path(cairo);
		lib.cairo_fill(cairo);
	}
}

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes, unsigned n)
{
	return fwrite(bytes, 1, n, closure) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *open_surface(FILE *out, const struct picture *picture,
				     enum draw_format format, double dpi)
{
	double width = picture->width, height = picture->height;

	if (format == DRAW_SVG) {
		cairo_surface_t *surface =
			lib.cairo_svg_surface_create_for_stream(write_bytes, out, width, height);

		/* of itself, cairo 1.18 writes pixels */
		lib.cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
		return surface;
	}
	if (format == DRAW_PDF)
		return lib.cairo_pdf_surface_create_for_stream(write_bytes, out, width, height);
	return lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * dpi / 72 + .5),
					      (int)(height * dpi / 72 + .5));
}

int draw_picture(FILE *out, const struct picture *picture, enum draw_format format, double dpi,
		 struct err *err)
{
	cairo_surface_t *surface = open_surface(out, picture, format, dpi);
	cairo_t *cairo = lib.cairo_create(surface);
	cairo_status_t status;

	if (format == DRAW_PNG)
		lib.cairo_scale(cairo, dpi / 72, dpi / 72);
	set_colour(cairo, 0xffffff);
	lib.cairo_paint(cairo);
	for (uint32_t i = 0; i < picture->n; i++) {
		/* areas that touch shall have no light seam between them */
		lib.cairo_set_antialias(cairo, picture->mark[i].what == MARK_AREA
						       ? CAIRO_ANTIALIAS_NONE
						       : CAIRO_ANTIALIAS_DEFAULT);
		draw_mark(cairo, picture, &picture->mark[i]);
	}
	status = lib.cairo_status(cairo);
	lib.cairo_destroy(cairo);
	if (!status && format == DRAW_PNG)
		status = lib.cairo_surface_write_to_png_stream(surface, write_bytes, out);
	lib.cairo_surface_finish(surface);
	if (!status)
		status = lib.cairo_surface_status(surface);
	lib.cairo_surface_destroy(surface);
	if (!status || status == CAIRO_STATUS_WRITE_ERROR)
		return 0;
	return err_set(err, status == CAIRO_STATUS_NO_MEMORY ? ENOMEM : EIO,
		       "cannot draw the picture: %s", lib.cairo_status_to_string(status));
}

double draw_text_width(const struct picture *picture, const char *text)
{
	cairo_surface_t *surface;
	cairo_t *cairo;
	double width;

	if (!lib.cairo_create)
		return 0;
	surface = lib.cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
	cairo = lib.cairo_create(surface);
	set_font(cairo, picture->font, picture->font_size);
	width = width_of(cairo, text);
	lib.cairo_destroy(cairo);
	lib.cairo_surface_destroy(surface);
	return width;
}
