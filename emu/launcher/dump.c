/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From JSON to a struct fw_image, by the names of prm.
 *
 *	dump.json --json-c--> tree --prm_set()--> images --fw_image_bound()--> file in the tree
 *
 * Strict: what has no name here, or does not fit, is refused with its place in the file. Only
 * the launcher knows JSON; what it hands to the preloaded library is bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include <json-c/json.h>

#include "launcher/dump.h"
#include "prm/prm.h"
#include "prm/table.h"

/* Where the reader is in the file, and what is wrong there. */
struct reader {
	struct fw_image *img;
	const char *file;
	char *why;
	size_t len;
	const char *group;
	const struct prm_struct *layout;
	uint8_t *image; /* of the group, current or maximum */
};

static bool refuse(const struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool refuse(const struct reader *r, const char *fmt, ...)
{
	va_list args;
	int n = snprintf(r->why, r->len, "%s: ", r->file);

	va_start(args, fmt);
	if (n > 0 && (size_t)n < r->len)
		vsnprintf(r->why + n, r->len - n, fmt, args);
	va_end(args);
	return false;
}

/* An integer, true, false or a string that strtoull() takes whole. */
static bool number(json_object *v, uint64_t *n)
{
	const char *text;
	char *end;

	switch (json_object_get_type(v)) {
	case json_type_int:
		*n = json_object_get_uint64(v);
		return json_object_get_int64(v) >= 0;
	case json_type_boolean:
		*n = json_object_get_boolean(v);
		return true;
	case json_type_string:
		text = json_object_get_string(v);
		errno = 0;
		*n = strtoull(text, &end, 0);
		return *text >= '0' && *text <= '9' && !*end && !errno;
	default:
		return false;
	}
}

/* ---- fields ---- */

static bool take_value(struct reader *r, const char *path, json_object *v);

static bool take_bytes(struct reader *r, const char *path, const struct prm_pos *pos,
		       const char *hex)
{
	size_t digits = strlen(hex), count = pos->field->count;
	unsigned int byte;

	if (digits != 2 * count)
		return refuse(r, "%s.%s is %zu bytes, not %zu digits", r->group, path, count,
			      digits);
	if (strspn(hex, "0123456789abcdefABCDEF") != digits)
		return refuse(r, "%s.%s: '%s' is not hexadecimal", r->group, path, hex);
	for (size_t i = 0; i < count; i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		prm_store(r->image, pos->bit + 8 * i, 8, byte);
	}
	return true;
}

static bool take_members(struct reader *r, const char *path, json_object *v)
{
	char deeper[256];

	json_object_object_foreach(v, key, member)
	{
		snprintf(deeper, sizeof(deeper), "%s%s%s", path, *path ? "." : "", key);
		if (!take_value(r, deeper, member))
			return false;
	}
	return true;
}

static bool take_elements(struct reader *r, const char *path, json_object *v)
{
	char element[256];

	for (size_t i = 0; i < json_object_array_length(v); i++) {
		snprintf(element, sizeof(element), "%s[%zu]", path, i);
		if (!take_value(r, element, json_object_array_get_idx(v, i)))
			return false;
	}
	return true;
}

static bool take_value(struct reader *r, const char *path, json_object *v)
{
	struct prm_pos pos;
	uint64_t n;

	if (json_object_is_type(v, json_type_object))
		return take_members(r, path, v);
	if (json_object_is_type(v, json_type_array))
		return take_elements(r, path, v);
	if (!prm_find(r->layout, path, &pos))
		return refuse(r, "%s has no field '%s'", r->group, path);
	if (pos.field->bytes && !strchr(path, '[') && json_object_is_type(v, json_type_string))
		return take_bytes(r, path, &pos, json_object_get_string(v));
	if (!number(v, &n))
		return refuse(r, "%s.%s: %s is no number", r->group, path,
			      json_object_to_json_string(v));
	if (!prm_set(r->layout, r->image, r->layout->bytes, path, n))
		return refuse(r, "%s.%s has %u bits: 0x%llx does not fit", r->group, path,
			      pos.field->width, (unsigned long long)n);
	return true;
}

/* ---- groups ---- */

static bool find_group(const char *name, uint32_t *group)
{
	for (*group = 0; *group < HCA_CAP_GROUPS; ++*group) {
		const char *known = prm_value_name("CAP", *group, NULL);

		if (known && !strcasecmp(known, name))
			return true;
	}
	return false;
}

static bool take_group(struct reader *r, const char *name, json_object *v)
{
	json_object *current, *max;
	uint32_t group;
	size_t at;

	r->group = name;
	if (!find_group(name, &group) || !(r->layout = fw_cap_group(group, &at)))
		return refuse(r, "there is no capability group '%s'", name);
	if (!json_object_is_type(v, json_type_object) ||
	    !json_object_object_get_ex(v, "current", &current) ||
	    !json_object_is_type(current, json_type_object))
		return refuse(r, "%s has no object \"current\"", name);
	if (!json_object_object_get_ex(v, "max", &max))
		max = current;
	if (!json_object_is_type(max, json_type_object))
		return refuse(r, "%s: \"max\" is not an object", name);
	r->img->groups |= 1ull << group;
	r->image = r->img->bytes[0] + at;
	if (!take_members(r, "", current))
		return false;
	r->image = r->img->bytes[1] + at;
	return take_members(r, "", max);
}

static bool take_groups(struct reader *r, json_object *caps)
{
	uint32_t missing;

	json_object_object_foreach(caps, name, group)
	{
		if (!take_group(r, name, group))
			return false;
	}
	if (fw_image_complete(r->img, &missing))
		return true;
	return refuse(r, "the group %s is missing", prm_value_name("CAP", missing, NULL));
}

/* ---- identity ---- */

/* A text of printable characters, for a file of sysfs. */
static bool take_text(struct reader *r, json_object *device, const char *key, char *to,
		      size_t size)
{
	json_object *v;
	const char *text;

	if (!json_object_object_get_ex(device, key, &v) ||
	    !json_object_is_type(v, json_type_string))
		return refuse(r, "device.%s is missing", key);
	text = json_object_get_string(v);
	for (const char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			return refuse(r, "device.%s is not plain text", key);
	if (!*text || strlen(text) >= size)
		return refuse(r, "device.%s: 1 to %zu characters, not '%s'", key, size - 1,
			      text);
	strcpy(to, text);
	return true;
}

static bool take_device(struct reader *r, json_object *device)
{
	unsigned int major, minor, sub;
	json_object *id;
	uint64_t n;
	int end;

	if (!take_text(r, device, "name", r->img->name, sizeof(r->img->name)) ||
	    !take_text(r, device, "fw_ver", r->img->fw_ver, sizeof(r->img->fw_ver)) ||
	    !take_text(r, device, "board_id", r->img->board_id, sizeof(r->img->board_id)))
		return false;
	if (sscanf(r->img->fw_ver, "%u.%u.%u%n", &major, &minor, &sub, &end) != 3 ||
	    r->img->fw_ver[end])
		return refuse(r, "device.fw_ver is like 28.43.3608, not '%s'", r->img->fw_ver);
	if (!json_object_object_get_ex(device, "vendor_part_id", &id) || !number(id, &n) ||
	    !n || n > UINT16_MAX)
		return refuse(r, "device.vendor_part_id, a PCI device id, is missing");
	r->img->pci_id = n;
	return true;
}

static bool take_file(struct reader *r, json_object *root)
{
	json_object *device, *caps;

	if (!json_object_object_get_ex(root, "device", &device) ||
	    !json_object_is_type(device, json_type_object))
		return refuse(r, "there is no object \"device\"");
	if (!json_object_object_get_ex(root, "caps", &caps) ||
	    !json_object_is_type(caps, json_type_object))
		return refuse(r, "there is no object \"caps\"");
	return take_device(r, device) && take_groups(r, caps);
}

/* A dump of all groups is a few hundred KiB. */
#define FILE_MAX (16u << 20)

/* The file's text, malloc'ed; NULL, and what is wrong in *@why. */
static char *read_text(const char *file, const char **why)
{
	char *text = malloc(FILE_MAX + 1);
	FILE *f = text ? fopen(file, "re") : NULL;
	size_t len = f ? fread(text, 1, FILE_MAX + 1, f) : 0;

	*why = !f || ferror(f) ? strerror(errno) : len > FILE_MAX ? "larger than 16 MiB" : NULL;
	if (f)
		fclose(f);
	if (*why) {
		free(text);
		return NULL;
	}
	text[len] = 0;
	return text;
}

bool dump_read(struct fw_image *img, const char *file, char *why, size_t len)
{
	struct reader r = { .img = img, .file = file, .why = why, .len = len };
	json_object *root;
	const char *error;
	char *text;
	bool ok;

	memset(img, 0, sizeof(*img));
	memcpy(img->magic, FW_IMAGE_MAGIC, sizeof(img->magic));
	text = read_text(file, &error);
	if (!text)
		return refuse(&r, "%s", error);
	root = json_tokener_parse(text);
	free(text);
	if (!root)
		return refuse(&r, "not JSON");
	ok = take_file(&r, root);
	json_object_put(root);
	return ok;
}

/* ---- what the model does not execute ---- */

/* Two lines a group, written when the group ends. */
struct report {
	FILE *to;
	const char *file;
	uint32_t group;
	char *lacks, *differs;
	size_t lacks_len, differs_len;
	FILE *lacking, *differing;
};

static void begin(struct report *r, uint32_t group)
{
	r->group = group;
	r->lacking = open_memstream(&r->lacks, &r->lacks_len);
	r->differing = open_memstream(&r->differs, &r->differs_len);
}

static void end(struct report *r)
{
	const char *name = prm_value_name("CAP", r->group, NULL);

	if (!r->lacking || !r->differing)
		return;
	fclose(r->lacking);
	fclose(r->differing);
	if (r->differs_len)
		fprintf(r->to, "dvkit-emu: %s: %s, values of the model:%s\n", r->file, name,
			r->differs);
	if (r->lacks_len)
		fprintf(r->to, "dvkit-emu: %s: %s, not executed and left out:%s\n", r->file,
			name, r->lacks);
	free(r->lacks);
	free(r->differs);
	r->lacking = r->differing = NULL;
}

static void note(void *to, uint32_t group, const char *path, uint64_t claimed, uint64_t kept)
{
	struct report *r = to;

	if (group != r->group) {
		end(r);
		begin(r, group);
	}
	if (!r->lacking || !r->differing)
		return;
	if (kept)
		fprintf(r->differing, "%s %s %llu, not %llu",
			ftell(r->differing) > 0 ? ";" : "", path, (unsigned long long)kept,
			(unsigned long long)claimed);
	else
		fprintf(r->lacking, " %s", path);
}

void dump_bound(struct fw_image *img, const char *file, FILE *to)
{
	struct report r = { .to = to, .file = file };

	begin(&r, PRM_CAP_GENERAL);
	fw_image_bound(img, note, &r);
	end(&r);
}

int dump_store(const struct fw_image *img, const char *root, char *path, size_t len)
{
	ssize_t n;
	int fd, err;

	if ((size_t)snprintf(path, len, "%s/device", root) >= len)
		return ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return errno;
	n = write(fd, img, sizeof(*img));
	err = n < 0 ? errno : n == sizeof(*img) ? 0 : ENOSPC;
	close(fd);
	return err;
}
